/** The operator's commands for dead letters: what could not be handled, and sending it back to be tried again. */

import { type ArrivedMail, arrivedMail, sesNotification } from '../../shared/ingest/arrived-mail.ts';
import { checkMessage } from '../../shared/monitoring/check-message.ts';
import { redriveDeadLetters } from '../../shared/operations/dead-letters/redrive-dead-letters.ts';
import { localPartOf } from '../../shared/protocol/mail-address.ts';
import { pluralize } from '../../shared/protocol/quantity.ts';
import { MalformedMessage, type MessageSchema, parseMessage } from '../../shared/runtime/workers/message.ts';
import type { QueueName } from '../../shared/runtime/workers/trigger.ts';
import { queues } from '../../shared/runtime/workers/trigger.ts';
import { deliveryMessage } from '../../shared/store/alerts/delivery.ts';
import { deletionMessage } from '../../shared/store/domains/deletions.ts';
import { mailboxReference } from '../../shared/store/fetched-mailboxes.ts';
import { rollUpMessage } from '../../shared/store/reports/days.ts';
import { UsageError } from '../terminal/command-line.ts';
import { jsonLines } from '../terminal/text.ts';
import type { AdminDependencies, Commands } from './command.ts';
import { type DeadLetter, readDeadLetters, sendAllBack, sendBack } from './dead-letters.ts';
import { accepted } from './perform.ts';

/** Dead letters of each queue that are listed one by one. */
const MAX_LISTED = 20;

/** Characters that are shown of a message that is none of ours. */
const MAX_SHOWN = 100;

const queueNames = Object.keys(queues) as QueueName[];

/** Commands by their words: `dead-letters list`. */
export const deadLetterCommands: Commands = {
  'dead-letters list': {
    args: '[queue]',
    says: 'list the messages that failed or were interrupted too often',
    example: 'dead-letters list reports',
    options: { '--json': 'print JSON: the queues with their messages and what these are about' },
    async run([name], { json }, deps) {
      const names = name === undefined ? queueNames : [queueNamed(name)];
      const { client, urlsOf } = await deps.queues();
      const listed = await Promise.all(
        names.map(async (queue) => {
          const { count, messages } = await readDeadLetters(client, urlsOf(queue), MAX_LISTED);
          const shown = await Promise.all(messages.map((message) => showDeadLetter(queue, message, deps)));
          return { queue, count, messages: shown };
        }),
      );
      if (json) return jsonLines(listed);
      const isAny = listed.some(({ count }) => count > 0);
      return [...listed.flatMap(linesAbout), ...(isAny ? notes : [])];
    },
  },

  'dead-letters redrive': {
    args: '<queue>',
    says: 'move messages that failed back to their queue, to try again',
    example: 'dead-letters redrive reports --all',
    options: { '--message <id>': 'only this message', '--all': 'all messages of the queue' },
    async run([name]: [string], { message, all = false }, deps) {
      const queue = queueNamed(name);
      const { client, urlsOf } = await deps.queues();
      const { value: redriven } = accepted(
        await redriveDeadLetters(
          { message, all },
          {
            sendBack: (id) => sendBack(client, urlsOf(queue), id),
            sendAllBack: () => sendAllBack(client, urlsOf(queue), deps.progress.show),
          },
        ),
      );
      deps.progress.end();
      return [
        `${queue}: ${pluralize(redriven.moved, 'message')} sent back to the queue`,
        ...(redriven.isOver ? [] : ['The move is not over; it goes on by itself.']),
      ];
    },
  },
};

const notes = [
  'Looking at a message counts as a receive. It was hidden from others until this list was made.',
  'Why the work failed is in the lines "work failed" of the log, with the id of the message.',
];

function queueNamed(name: string): QueueName {
  const queue = queueNames.find((one) => one === name);
  if (queue === undefined) throw new UsageError(`no such queue: ${name}; there are ${queueNames.join(', ')}`);
  return queue;
}

function summary(queue: QueueName, count: number, listed: number): string {
  if (count === 0) return `${queue}: none`;
  return `${queue}: ${pluralize(count, 'dead letter')}${listed < count ? `, ${listed} of them listed` : ''}`;
}

/** The dead letters of a queue, as they are shown. */
interface Listed {
  readonly queue: QueueName;
  readonly count: number;
  readonly messages: readonly Awaited<ReturnType<typeof showDeadLetter>>[];
}

async function showDeadLetter(
  queue: QueueName,
  { id, body, firstReceived, receives }: DeadLetter,
  deps: AdminDependencies,
) {
  const about = await contentOf(queue, body, deps);
  return { id, firstReceivedAt: firstReceived.toISOString(), receives, about };
}

const linesAbout = ({ queue, count, messages }: Listed): string[] => [
  summary(queue, count, messages.length),
  ...messages.flatMap(({ id, firstReceivedAt, receives, about }) => [
    `  ${id}  first received ${firstReceivedAt}, received ${pluralize(receives, 'time')}`,
    `    ${about}`,
  ]),
];

/** What a message is about; its beginning where it is none that the service sends. */
async function contentOf(queue: QueueName, body: string, deps: AdminDependencies): Promise<string> {
  try {
    return await contents[queue](body, deps);
  } catch (error) {
    if (error instanceof MalformedMessage)
      return `not a message of this service: ${body.slice(0, MAX_SHOWN)}`;
    throw error;
  }
}

/** @throws MalformedMessage */
type Content = (body: string, deps: AdminDependencies) => Promise<string>;

const content =
  <Message>(
    schema: MessageSchema<Message>,
    describe: (message: Message, deps: AdminDependencies) => Promise<string>,
  ): Content =>
  async (body, deps) =>
    describe(parseMessage(body, schema), deps);

async function describeMail(mail: ArrivedMail | null, { domains }: AdminDependencies): Promise<string> {
  if (mail === null) return 'the notification that SES sends when a rule is made';
  const owners = await Promise.all(
    mail.recipients.map(async (recipient) => {
      const domain = await domains.ofMailbox(localPartOf(recipient).toLowerCase());
      return domain === undefined ? recipient : `${recipient} (${domain.domain})`;
    }),
  );
  return `mail ${mail.rawKey} to ${owners.join(', ')}`;
}

const mail = content(arrivedMail, describeMail);

const delivery = content(deliveryMessage, async ({ delivery: id }, { deliveries }) => {
  const found = await deliveries.get(id);
  if (found === undefined) return `delivery ${id}, which is not kept any more`;
  const { channel, organization, reason } = found;
  return `delivery ${id} by ${channel} to ${organization}${reason === null ? '' : `: ${reason}`}`;
});

/** What the messages of each queue are about. */
const contents: Readonly<Record<QueueName, Content>> = {
  arrivals: content(sesNotification, describeMail),
  reports: mail,
  tester: mail,
  checks: content(checkMessage, async ({ organization, id }, { domains }) => {
    const domain = await domains.get(organization, id);
    return `a check of ${domain?.domain ?? `domain ${id}, which was removed`}`;
  }),
  mailboxes: content(mailboxReference, async (reference, { mailboxes }) => {
    const mailbox = await mailboxes.get(reference);
    return `a run of ${mailbox === undefined ? `mailbox ${reference.id}, which was removed` : `the mailbox ${mailbox.name}`}`;
  }),
  deletions: content(deletionMessage, async ({ domainId }) => `the deletion of domain ${domainId}`),
  notifications: delivery,
  digests: delivery,
  summaries: content(
    rollUpMessage,
    async ({ domain, day }) => `the roll-up of summaries of ${domain.domain} on ${day}`,
  ),
};
