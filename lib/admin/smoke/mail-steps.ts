/** Sends a mail to the report mailbox of a domain, downloads it, and has it read again. */
import * as z from 'zod/mini';
import { reportMail } from '../../../shared/api/report-mails.ts';
import type { Client } from './client.ts';
import { data, errorBody, expectThat, type Steps } from './scenario.ts';
import { type MailServer, sendTestMessage } from './send-message.ts';

const PATIENCE_MILLISECONDS = 60_000;
const EVERY_MILLISECONDS = 1000;
const SUBJECT = 'Smoke test of the report mailbox';
const UNKNOWN = '0-unknown';

/** What is known once the domain is registered. */
export interface Mailbox {
  readonly domain: string;
  /** The path of the mails of the domain. */
  readonly path: () => string;
  readonly address: () => string;
}

/** Mail is sent only if a mail server is given. It goes when the domain is removed. */
export function mailSteps(api: Client, smtp: MailServer | undefined, mailbox: Mailbox): Steps {
  const { domain, path, address } = mailbox;
  const list = async () => (await api.read(data(z.array(reportMail)), 'GET', path(), 200)).data;
  let id = '';
  const refusals: Steps = {
    'no mail has come in for it': async () => {
      const mails = await list();
      expectThat(mails.length === 0, `${mails.length} mails are listed`);
    },
    'a mail that does not exist can be neither downloaded nor read again': async () => {
      await api.read(errorBody('not_found'), 'GET', `${path()}/${UNKNOWN}/raw`, 404);
      await api.read(errorBody('not_found'), 'POST', `${path()}/${UNKNOWN}/replay`, 404);
    },
  };
  if (smtp === undefined) return refusals;
  return {
    ...refusals,
    'its report mailbox accepts a mail': () =>
      sendTestMessage(smtp, {
        from: `smoke@${domain}`,
        to: address(),
        subject: SUBJECT,
        mailFrom: '',
      }),
    'the mail is listed': async () => {
      const until = Date.now() + PATIENCE_MILLISECONDS;
      let mails = await list();
      while (mails.length === 0) {
        expectThat(Date.now() < until, `it is not listed after ${PATIENCE_MILLISECONDS / 1000} s`);
        await new Promise((resolve) => setTimeout(resolve, EVERY_MILLISECONDS));
        mails = await list();
      }
      const [mail] = mails;
      expectThat(mail?.subject === SUBJECT, `its subject is ${mail?.subject}`);
      id = mail?.id ?? '';
    },
    'the mail can be downloaded': async () => {
      const { text } = await api.request('GET', `${path()}/${id}/raw`, 200);
      expectThat(text.includes(`Subject: ${SUBJECT}`), 'the subject is not in the message');
    },
    'the mail can be read again, and has no report': async () => {
      const read = await api.read(data(reportMail), 'POST', `${path()}/${id}/replay`, 200);
      const outcomes = read.data.outcomes.map(({ outcome }) => outcome).join(', ');
      expectThat(outcomes === 'not-a-report', `its outcomes are ${outcomes}`);
    },
  };
}
