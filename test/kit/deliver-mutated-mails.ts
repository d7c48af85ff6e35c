/** Sends broken mails to report mailboxes of a booted service by SMTP, and looks at what became of each. */
import { gzipSync } from 'node:zlib';
import { hangingMails, mutatedMails } from './mutated-mails.ts';
import { dmarcMail, dmarcXml, reportMail, tlsJson } from './report-mails.ts';
import { itemsWith, rowsIn } from './rows.ts';
import type { BootedService } from './service.ts';
import { smtpClient } from './smtp-client.ts';

interface DeliveredMails {
  readonly sent: number;
  /** Replies of the SMTP server that did not take a mail. */
  readonly refused: readonly string[];
  /** Ids of the mails of which outcomes are kept, as often as they are. */
  readonly kept: readonly string[];
  /** Those of which none says what became of them. */
  readonly withoutOutcome: readonly string[];
  /** Messages in the queues, dead letters among them, without the roll-ups, which wait for a minute. */
  readonly queued: number;
}

/** So many of a domain are read within an hour. */
const MAILS_PER_DOMAIN = 2_000;
const SESSIONS = 4;
/** A session may have 1,000 commands. */
const MAILS_PER_SESSION = 50;
const LOOK_MILLISECONDS = 250;

/** Sends as many mails as asked for, and waits until all of them were taken from the queue or `patience` is over. */
export async function deliverMutatedMails(
  service: BootedService,
  { count, seed, patience }: { count: number; seed: number; patience: number },
): Promise<DeliveredMails> {
  const domains = Array.from(
    { length: Math.ceil(count / MAILS_PER_DOMAIN) },
    (_, at) => `broken${at}.example`,
  );
  const mailboxes = await Promise.all(domains.map((domain) => mailboxOf(service, domain)));
  const hanging = Object.values(hangingMails).map((mail) => Buffer.from(mail, 'latin1'));
  const mails = [...hanging, ...mutatedMails(domains.flatMap(seedsOf), count - hanging.length, seed)];
  const refused: string[] = [];
  const left = [...mails.entries()];
  const send = async () => {
    while (left.length > 0) {
      const client = await smtpClient(service.smtpPort);
      for (const [at, mail] of left.splice(0, MAILS_PER_SESSION)) {
        await client.say('MAIL FROM:<dmarc@reporter.test>');
        await client.say(`RCPT TO:<${mailboxes[at % mailboxes.length]}>`);
        await client.say('DATA');
        const reply = await client.content(mail);
        if (!reply.startsWith('250')) refused.push(reply);
      }
      client.close();
    }
  };
  await Promise.all(Array.from({ length: SESSIONS }, send));

  const queued = () => rowsIn(service.dataDir, 'queues.sqlite', "messages WHERE queue <> 'summaries'");
  const until = Date.now() + patience;
  while (queued() > 0 && Date.now() < until)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS));
  const items = itemsWith(service.dataDir, '"MAIL#');
  return {
    sent: mails.length,
    refused,
    kept: items.map(({ messageId }) => messageId.S),
    withoutOutcome: items.flatMap(({ messageId, outcomes }) =>
      outcomes.L.length === 0 ? [messageId.S] : [],
    ),
    queued: queued(),
  };
}

/** The mailbox for reports of a domain that is registered for it. */
export async function mailboxOf({ url, token }: BootedService, domain: string): Promise<string> {
  const answer = await fetch(`${url}/api/v1/domains`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ domain, usageType: 'parked' }),
  });
  const { data } = (await answer.json()) as { data: { reporting: { ruaAddress: string } } };
  return data.reporting.ruaAddress.replace('mailto:', '');
}

/** Mails of every kind that is read. */
function seedsOf(domain: string): readonly string[] {
  const attached = (bytes: string | Uint8Array, name: string, type: string) =>
    reportMail({ attachments: [{ name, type, bytes }] });
  const report = dmarcMail({ domain });
  return [
    report,
    attached(dmarcXml({ domain, id: 'plain' }), 'report.xml', 'text/xml'),
    attached(gzipSync(tlsJson(domain)), 'r.json.gz', 'application/tlsrpt+gzip'),
    attached(report, 'report.eml', 'message/rfc822'),
    `Subject: x\r\nContent-Type: multipart/mixed; boundary=n\r\n\r\n--n\r\nContent-Type: message/rfc822\r\nContent-Disposition: inline\r\n\r\n${report}\r\n--n--\r\n`,
    `Subject: x\r\nContent-Type: text/xml; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${dmarcXml({ domain, id: 'quoted' }).replaceAll('=', '=3D').replaceAll('\n', '\r\n')}`,
    'Subject: x\r\nContent-Type: multipart/report; report-type=feedback-report; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nA report.\r\n--b\r\nContent-Type: message/feedback-report\r\n\r\nFeedback-Type: auth-failure\r\nReported-Domain: example.org\r\n\r\n--b\r\nContent-Type: message/rfc822\r\nContent-Disposition: inline\r\n\r\nSubject: y\r\n\r\nHello\r\n--b--\r\n',
  ];
}
