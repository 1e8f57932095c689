import '@mantine/core/styles/Alert.css';
import '@mantine/core/styles/Badge.css';
import '@mantine/core/styles/Progress.css';
import '@mantine/core/styles/Skeleton.css';
import {
  Loader,
  Alert as MantineAlert,
  Badge as MantineBadge,
  Progress as MantineProgress,
  Skeleton as MantineSkeleton,
} from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../base/i18n.ts';
import { Icon, type IconName } from './icon.tsx';

/** Tone of a state, in addition to its text. */
export type Tone = 'neutral' | 'info' | 'success' | 'warning' | 'danger';

const COLORS = { neutral: 'gray', info: 'blue', success: 'green', warning: 'yellow', danger: 'red' } as const;
const SIGNS: Readonly<Record<Tone, IconName>> = {
  neutral: 'info',
  info: 'info',
  success: 'check',
  warning: 'alert',
  danger: 'alert',
};

/** A state as a badge with text. */
export function Badge({
  tone = 'neutral',
  children,
}: {
  readonly tone?: Tone;
  readonly children: ReactNode;
}) {
  return (
    <MantineBadge variant="light" size="sm" radius="sm" color={COLORS[tone]} style={{ flex: 'none' }}>
      {children}
    </MantineBadge>
  );
}

/** A notice. Screen readers announce a `danger` at once. */
export function Alert({
  tone = 'info',
  title,
  children,
}: {
  readonly tone?: Tone;
  readonly title?: ReactNode;
  readonly children?: ReactNode;
}) {
  return (
    <MantineAlert
      variant="light"
      color={COLORS[tone]}
      title={title}
      icon={<Icon name={SIGNS[tone]} />}
      p="sm"
      role={tone === 'danger' ? 'alert' : 'status'}
    >
      {children}
    </MantineAlert>
  );
}

/** Placeholder while content loads. Hidden from screen readers: the region around it is marked busy. */
export function Skeleton({
  height = 16,
  width,
}: {
  readonly height?: number | string;
  readonly width?: number | string;
}) {
  return <MantineSkeleton aria-hidden height={height} width={width} animate={false} />;
}

/** Progress in percent. */
export function Progress({ value, label }: { readonly value: number; readonly label: string }) {
  return (
    <MantineProgress.Root size="sm">
      <MantineProgress.Section value={value} aria-label={label} color="blue" />
    </MantineProgress.Root>
  );
}

/** Indicates loading. */
export function Spinner({ label }: { readonly label?: string }) {
  return (
    <span role="status">
      <Loader size="sm" color="blue" aria-hidden />
      <span className="visually-hidden">{label ?? t('Loading…')}</span>
    </span>
  );
}
