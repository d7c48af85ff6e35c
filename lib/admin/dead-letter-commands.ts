/** The operator's commands for dead letters: what could not be handled, and sending it back to be tried again. */
import * as z from 'zod/mini';
import { queues } from '../../functions/triggers.ts';
import { readSesNotification } from '../../shared/ingest/ses-notification.ts';
import { localPartOf } from '../../shared/protocol/mail-address.ts';
import { counted } from '../../shared/protocol/quantity.ts';
import type { QueueName } from '../../shared/runtime/workers/trigger.ts';
import { CommandError } from '../terminal/command-line.ts';
import type { AdminDependencies, Commands } from './command.ts';
import { type DeadLetter, readDeadLetters, sendAllBack, sendBack } from './dead-letters.ts';

/** Dead letters of each queue that are listed one by one. */
const MAX_LISTED = 20;

/** Characters that are shown of a message that is none of ours. */
const MAX_SHOWN = 100;

const queueNames = Object.keys(queues) as QueueName[];

/** Commands by their second word: `dead-letters list`. */
export const deadLetterCommands: Commands = {
  'dead-letters list': {
    args: '[queue]',
    says: 'list the messages that failed or were interrupted too often',
    async run([name], _options, deps) {
      const names = name === undefined ? queueNames : [queueNamed(name)];
      const { client, urlsOf } = await deps.queues();
      const listed = await Promise.all(
        names.map(async (queue) => {
          const { count, messages } = await readDeadLetters(client, urlsOf(queue), MAX_LISTED);
          const lines = await Promise.all(messages.map((message) => described(queue, message, deps)));
          return { count, lines: [summary(queue, count, messages.length), ...lines.flat()] };
        }),
      );
      const isAny = listed.some(({ count }) => count > 0);
      return [...listed.flatMap(({ lines }) => lines), ...(isAny ? notes : [])];
    },
  },

  'dead-letters redrive': {
    args: '<queue>',
    says: 'move them back to their queue to try again',
    options: { '--message <id>': 'only this message', '--all': 'all messages of the queue' },
    async run([name]: [string], { message, all = false }, deps) {
      const queue = queueNamed(name);
      if (all === (message !== undefined))
        throw new CommandError('say what is to be sent back: --message <id> or --all');
      const { client, urlsOf } = await deps.queues();
      if (message !== undefined) {
        await sendBack(client, urlsOf(queue), message);
        return [`${queue}: ${message} is back in the queue, as a new message`];
      }
      const { moved, isOver } = await sendAllBack(client, urlsOf(queue), deps.progress.show);
      deps.progress.end();
      return [
        `${queue}: ${counted(moved, 'message')} sent back to the queue`,
        ...(isOver ? [] : ['The move is not over; it goes on by itself.']),
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
  if (queue === undefined)
    throw new CommandError(`no such queue: ${name}; there is ${queueNames.join(', ')}`);
  return queue;
}

function summary(queue: QueueName, count: number, listed: number): string {
  if (count === 0) return `${queue}: none`;
  return `${queue}: ${counted(count, 'dead letter')}${listed < count ? `, ${listed} of them listed` : ''}`;
}

async function described(
  queue: QueueName,
  { id, body, firstReceived, receives }: DeadLetter,
  deps: AdminDependencies,
): Promise<string[]> {
  return [
    `  ${id}  first received ${firstReceived.toISOString()}, received ${receives} times`,
    `    ${await contentOf(queue, body, deps)}`,
  ];
}

/** What a message is about; its beginning where it is none that the service sends. */
async function contentOf(queue: QueueName, body: string, deps: AdminDependencies): Promise<string> {
  const content = read(queue, body);
  return content === undefined
    ? `not a message of this service: ${body.slice(0, MAX_SHOWN)}`
    : await content(deps);
}

type Content = (deps: AdminDependencies) => Promise<string>;

function read(queue: QueueName, body: string): Content | undefined {
  try {
    return readers[queue](JSON.parse(body));
  } catch {
    return undefined;
  }
}

const checkMessage = z.object({ organization: z.string(), id: z.string() });
const deletionMessage = z.object({ domainId: z.string() });
const rollUpMessage = z.object({ domain: z.object({ domain: z.string() }), day: z.string() });
const deliveryMessage = z.object({ delivery: z.string() });

/** How the messages of each queue are read. @throws where a message is none of the queue's. */
const readers: Readonly<Record<QueueName, (message: unknown) => Content>> = {
  arrivals: mailContent,
  reports: mailContent,
  tester: mailContent,

  checks(message) {
    const { organization, id } = checkMessage.parse(message);
    return async ({ domains }) => {
      const domain = await domains.get(organization, id);
      return `a check of ${domain?.domain ?? `domain ${id}, which was removed`}`;
    };
  },

  deletions(message) {
    const { domainId } = deletionMessage.parse(message);
    return async () => `the deletion of domain ${domainId}`;
  },

  notifications: deliveryContent,
  digests: deliveryContent,

  summaries(message) {
    const { domain, day } = rollUpMessage.parse(message);
    return async () => `the roll-up of summaries of ${domain.domain} on ${day}`;
  },
};

function deliveryContent(message: unknown): Content {
  const { delivery: id } = deliveryMessage.parse(message);
  return async ({ deliveries }) => {
    const delivery = await deliveries.get(id);
    if (delivery === undefined) return `delivery ${id}, which is not kept any more`;
    const { channel, organization, reason } = delivery;
    return `delivery ${id} by ${channel} to ${organization}${reason === null ? '' : `: ${reason}`}`;
  };
}

function mailContent(message: unknown): Content {
  const mail = readSesNotification(message);
  if (mail === undefined) return async () => 'the notification that SES sends when a rule is made';
  const { rawKey, recipients } = mail;
  return async ({ domains }) => {
    const owners = await Promise.all(
      recipients.map(async (recipient) => {
        const domain = await domains.ofMailbox(localPartOf(recipient).toLowerCase());
        return domain === undefined ? recipient : `${recipient} (${domain.domain})`;
      }),
    );
    return `mail ${rawKey} to ${owners.join(', ')}`;
  };
}
