import { t } from '../../base/i18n.ts';

/** Name and purpose of a job. */
export function jobWords(job: string): { readonly label: string; readonly description: string } {
  const words = WORDS[job];
  return words ? words() : { label: job, description: '' };
}

const WORDS: Readonly<Record<string, () => { readonly label: string; readonly description: string }>> = {
  delete_expired_records: () => ({
    label: t('Delete expired records'),
    description: t('Old versions, logs, sessions, deliveries and unfinished uploads'),
  }),
  mask_logged_responses: () => ({
    label: t('Mask logged responses'),
    description: t('Credentials that earlier versions stored in delivery logs'),
  }),
  collect_unused_files: () => ({
    label: t('Collect unused files'),
    description: t('Stored bytes that no file uses go to quarantine'),
  }),
  empty_quarantine: () => ({
    label: t('Empty the quarantine'),
    description: t('Deletes bytes that were in quarantine for seven days'),
  }),
  trim_change_feed: () => ({
    label: t('Trim the change feed'),
    description: t('Deletes changes older than an hour'),
  }),
  store_slow_queries: () => ({
    label: t('Store slow queries'),
    description: t('Adds recent slow queries to their totals'),
  }),
  make_backup: () => ({
    label: t('Make a backup'),
    description: t('Copies the database and new files if a backup is due'),
  }),
  rehearse_backup: () => ({
    label: t('Rehearse a restore'),
    description: t('Restores the newest backup into a scratch place each night, and checks it'),
  }),
  run_loads: () => ({
    label: t('Run loads'),
    description: t('Goes on with loads of documents that run, or are being undone'),
  }),
  build_indexes: () => ({
    label: t('Build indexes'),
    description: t('Indexes of large tables that wait to be built'),
  }),
};
