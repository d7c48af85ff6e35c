/** A mail server that delivers one mail to a process. */

import type { SimulatedProcess } from './process.ts';
import type { SentMail } from './scenario.ts';
import type { Schedule } from './schedule.ts';
import type { Running } from './world.ts';

/** RFC 5321 section 4.5.3.2: at most ten minutes for the reply to the end of a message. */
const PATIENCE = 600_000;

/** Returns the last reply, or why there was none: the sender does not know then whether the mail was taken. */
export function sendMail(
  schedule: Schedule,
  { machine, service }: Running & { readonly service: SimulatedProcess },
  {
    from,
    to,
    content,
    address,
  }: Pick<SentMail, 'from' | 'to'> & {
    readonly content: string;
    /** That of the sender. */
    readonly address: string;
  },
): Promise<string> {
  return new Promise((resolve) => {
    const commands = [
      'EHLO mx.reporter.example',
      `MAIL FROM:<${from}>`,
      ...to.map((mailbox) => `RCPT TO:<${mailbox}>`),
      'DATA',
      `${content.replace(/^\./gm, '..')}\r\n.`,
    ];
    let text = '';
    const giveUp = schedule.after(PATIENCE, () => finish('no reply'));
    const finish = (outcome: string) => {
      giveUp();
      connection?.end();
      resolve(outcome);
    };
    const connection = machine.connect(
      service.smtpPort,
      address,
      (chunk) => {
        text += chunk.toString();
        const reply = /^(\d{3}) .*\r\n/m.exec(text);
        if (reply === null) return;
        text = '';
        const isGood = /^[23]/.test(reply[0]);
        const next = isGood ? commands.shift() : undefined;
        if (next === undefined) finish(reply[0].trim());
        else connection?.write(`${next}\r\n`);
      },
      () => finish('the connection was lost'),
    );
    if (connection === undefined) finish('no connection');
  });
}
