/** Receives the inbound mail of `functions/triggers.ts` over SMTP. */
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import { systemClock } from '../../../../shared/network/clock.ts';
import type { Log } from '../../../../shared/runtime/logging/log.ts';
import type { InboundMail } from '../../../../shared/runtime/workers/trigger.ts';
import { awsAccess } from '../../../../shared/store/aws-access.ts';
import { domainStore } from '../../../../shared/store/domains/domains.ts';
import type { Table } from '../../../../shared/store/table.ts';
import { testSessionStore } from '../../../../shared/store/test-sessions.ts';
import type { CertificateSource } from '../certificate.ts';
import type { Settings } from '../settings.ts';
import { deliverTo } from './deliver.ts';
import { type MailRoute, type SmtpListener, startSmtpListener } from './listener.ts';

/** Starts to receive mail for these rows. The promise rejects if the port is in use. */
export function startInboundMail(
  settings: Settings,
  rows: readonly InboundMail[],
  {
    table,
    queueUrl,
    ...others
  }: {
    table: Table;
    queueUrl: (name: string) => string;
    log: Log;
    certificate: CertificateSource | undefined;
    isFull?: () => boolean;
  },
): Promise<SmtpListener> {
  const s3 = new S3Client(awsAccess());
  const sqs = new SQSClient(awsAccess());
  const domains = domainStore(table);
  const sessions = testSessionStore(table);
  const hasMailbox: Readonly<Record<InboundMail['localParts'], (localPart: string) => Promise<boolean>>> = {
    'report-mailboxes': async (localPart) => (await domains.ofMailbox(localPart)) !== undefined,
    'test-sessions': async (localPart) => (await sessions.get(localPart, systemClock.now())) !== undefined,
  };
  return startSmtpListener({
    address: settings.LISTEN_ADDRESS,
    port: settings.SMTP_PORT,
    ...others,
    routes: rows.flatMap(({ domainKey, formerKey, localParts, prefix, queue }) =>
      [settings[domainKey], ...settings[formerKey]].map(
        (domain): MailRoute => ({
          domain,
          hasMailbox: hasMailbox[localParts],
          deliver: (mail) =>
            deliverTo({ s3, sqs, prefix, bucket: settings.MAIL_BUCKET, queueUrl: queueUrl(queue) }, mail),
        }),
      ),
    ),
  });
}
