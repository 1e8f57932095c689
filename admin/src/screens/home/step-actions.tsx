import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { useGo } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { Button } from '../../widgets/button.tsx';
import { Muted, Row } from '../../widgets/layout.tsx';
import { SecretLine } from '../../widgets/secret-line.tsx';
import css from './first-steps.module.css';

interface StepProps {
  /** The step to take next has the main button. */
  readonly isNext: boolean;
}

const kindOf = (isNext: boolean) => (isNext ? 'primary' : 'default');

/** Leads to the designer. */
export function DoctypeStep({ isNext }: StepProps) {
  const go = useGo();
  return (
    <Button kind={kindOf(isNext)} icon="plus" onClick={() => go(paths.designer())}>
      {t('New doctype')}
    </Button>
  );
}

/** Opens the form of a new key. */
export function KeyStep({ isNext, onOpen }: StepProps & { readonly onOpen: () => void }) {
  return (
    <Button kind={kindOf(isNext)} icon="key" onClick={onOpen}>
      {t('New API key')}
    </Button>
  );
}

/** Prints each request and its signature. For trying out only. */
const RECEIVER =
  "node -e \"require('http').createServer((q,r)=>{q.on('data',d=>console.log(q.headers['x-service-webhook-signature'],String(d)));q.on('end',()=>r.end())}).listen(9000,'127.0.0.1')\"";
const RECEIVER_URL = 'http://127.0.0.1:9000/hook';

/** Leads to the editor, with a receiver to try. */
export function WebhookStep({ isNext }: StepProps) {
  const go = useGo();
  const [isTrying, setTrying] = useState(false);
  return (
    <>
      <Row>
        <Button kind="quiet" aria-expanded={isTrying} onClick={() => setTrying(!isTrying)}>
          {t('A receiver to try')}
        </Button>
        <Button kind={kindOf(isNext)} icon="webhook" onClick={() => go(paths.newWebhook())}>
          {t('New webhook')}
        </Button>
      </Row>
      {isTrying && (
        <div className={css['more']}>
          <SecretLine label={t('Run this on the machine of the server')} text={RECEIVER} />
          <Muted isSmall>
            {t('The server reaches private addresses only if it starts with {setting}.', {
              setting: 'CHANCERY_WEBHOOKS_ALLOW=127.0.0.0/8',
            })}
          </Muted>
          <span>
            <Button onClick={() => go(paths.newWebhook({ request_url: RECEIVER_URL }))}>
              {t('New webhook for this receiver')}
            </Button>
          </span>
        </div>
      )}
    </>
  );
}
