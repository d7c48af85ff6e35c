/** Requests and responses of the endpoints of mailboxes from which reports are fetched. */
import * as z from 'zod/mini';
import { afterwards } from '../mailboxes/mailbox.ts';
import { explain, problemCodes } from '../mailboxes/problem.ts';
import { securities } from '../network/imap-port.ts';
import { isHostName } from '../protocol/host-name.ts';
import { parseIp } from '../protocol/ip.ts';
import { count, described, text, timestamp, uuid } from '../protocol/schema.ts';
import type { Mailbox } from '../store/fetched-mailboxes.ts';
import { idPath, missing, oneLine } from './common.ts';

/** What holds for a mailbox unless a request says something else. */
export const mailboxDefaults = {
  security: 'tls',
  ports: { tls: 993, starttls: 143 },
  folder: 'INBOX',
  after: 'keep',
  everySeconds: 900,
} as const;

export const MAX_FOLDER = 250;
export const MAX_USER = 320;
export const MAX_PASSWORD = 1_000;
export const MAX_MAILBOX_NAME = 100;
const SHORTEST_SECONDS = 300;
const LONGEST_SECONDS = 86_400;
const MAX_PORT = 65_535;

const name = described(oneLine(MAX_MAILBOX_NAME), 'What you call it', 'Reports of all domains');

const host = described(
  z.string('must be a string').check(
    z.toLowerCase(),
    z.refine(
      (given) => isHostName(given) || parseIp(given) !== undefined,
      'must be a host name or an IP address',
    ),
  ),
  'The IMAP server; its certificate must be for this name',
  'imap.example.org',
);

const port = described(
  z
    .int(`must be a whole number from 1 to ${MAX_PORT}`)
    .check(
      z.minimum(1, `must be a whole number from 1 to ${MAX_PORT}`),
      z.maximum(MAX_PORT, `must be a whole number from 1 to ${MAX_PORT}`),
    ),
  'The port of the server. Default: 993 with `tls`, 143 with `starttls`',
  993,
);

const security = described(
  z.enum(securities, `must be one of ${securities.join(', ')}`),
  '`tls`: TLS from the start. `starttls`: TLS by the command STARTTLS, before anything else is sent',
  'tls',
);

const user = described(oneLine(MAX_USER), 'The user name', 'reports@example.org');

const folder = described(
  oneLine(MAX_FOLDER),
  'The folder with the reports. Upper and lower case are the same; `/` separates the parts of a name',
  'INBOX',
);

const after = described(
  z.enum(afterwards, `must be one of ${afterwards.join(', ')}`),
  'What becomes of a mail after its reports are stored. `keep`: nothing. `mark-read`: it is marked as read. `move`: it is moved to the folder `moveTo`. `delete`: it is deleted. Other mails in the folder are never changed',
  'mark-read',
);

const moveTo = described(
  oneLine(MAX_FOLDER),
  'The folder to which mails are moved; it is made if it does not exist',
  'Reports/Done',
);

const everySeconds = described(
  z
    .int(`must be a whole number from ${SHORTEST_SECONDS} to ${LONGEST_SECONDS}`)
    .check(
      z.minimum(SHORTEST_SECONDS, `must be a whole number from ${SHORTEST_SECONDS} to ${LONGEST_SECONDS}`),
      z.maximum(LONGEST_SECONDS, `must be a whole number from ${SHORTEST_SECONDS} to ${LONGEST_SECONDS}`),
    ),
  'How often the mailbox is read, in seconds. Default: 900',
  900,
);

const signInKind = described(
  z.literal('password', 'must be password'),
  'How the service signs in',
  'password',
);

const password = described(
  z
    .string('must be a string')
    .check(
      z.minLength(1, 'must not be empty'),
      z.maxLength(MAX_PASSWORD, `must not be longer than ${MAX_PASSWORD} characters`),
      z.regex(/^\P{Cc}*$/u, 'must not contain control characters'),
    ),
  'The password, for many providers an app password. It is stored encrypted, and no response contains it',
  'correct horse battery staple',
);

export const mailboxBody = z
  .object(
    {
      name,
      host,
      port: z.optional(port),
      security: z._default(security, mailboxDefaults.security),
      user,
      signIn: described(
        z.object({ kind: signInKind, password }, 'must be an object'),
        'What signs in to the mailbox',
        { kind: 'password', password: 'correct horse battery staple' },
      ),
      folder: z._default(folder, mailboxDefaults.folder),
      after: z._default(after, mailboxDefaults.after),
      moveTo: z.optional(moveTo),
      everySeconds: z._default(everySeconds, mailboxDefaults.everySeconds),
    },
    'must be a JSON object',
  )
  .check(
    z.refine(({ after, moveTo }) => (after === 'move') === (moveTo !== undefined), {
      error: 'is required with the value move of after, and only then',
      path: ['moveTo'],
    }),
  );

export const mailboxPath = idPath(missing.mailbox);

export const runBody = z.object(
  {
    again: described(
      z._default(z.boolean('must be true or false'), false),
      'Reads all mails of the folder again, for example after more domains were registered. What is stored already does not count twice',
    ),
  },
  'must be a JSON object',
);

const error = z.object({
  code: described(z.enum(problemCodes), 'What failed; `internal`: the service itself', 'sign-in-refused'),
  message: described(text, 'What failed, or what the server said', 'Invalid credentials'),
  fix: described(text, 'What to do, in sentences', 'Check the user name and the password.'),
});

export const mailbox = z.object({
  id: uuid,
  ...{ name, host, port, security, user },
  signIn: described(z.object({ kind: signInKind }), 'How the service signs in', { kind: 'password' }),
  ...{ folder, after },
  moveTo: described(z.nullable(text), 'The folder to which mails are moved; `null` if they are not', null),
  everySeconds,
  createdAt: described(timestamp, 'When it was added; reports that arrived before raise no alerts'),
  state: described(z.enum(['ok', 'failing']), '`failing`: the last run failed', 'ok'),
  lastRunAt: described(z.nullable(timestamp), 'When the last run ended; `null` before the first one'),
  nextRunAt: described(timestamp, 'When it is read next, at the earliest'),
  lastError: described(z.nullable(error), 'Why the last run failed; `null` if it did not'),
  read: described(count, 'How many mails were read', 120),
  accepted: described(count, 'How many reports were stored of them', 118),
  remaining: described(count, 'How many mails the last run left for the next one', 0),
});

/** A mailbox in a response, without what signs in to it. */
export const showMailbox = (stored: Mailbox): z.output<typeof mailbox> => {
  const { id, name, host, port, security, user, folder, after, moveTo, everySeconds } = stored;
  const { createdAt, lastRunAt, lastError, gsi1sk, read, accepted, remaining } = stored;
  return {
    ...{ id, name, host, port, security, user, signIn: { kind: 'password' } },
    ...{ folder, after, moveTo, everySeconds, createdAt },
    state: lastError === null ? 'ok' : 'failing',
    ...{ lastRunAt, nextRunAt: gsi1sk, lastError: lastError && explain(lastError) },
    ...{ read, accepted, remaining },
  };
};

export const mailboxTest = z.object({
  messages: described(
    z.nullable(count),
    'How many mails are in the folder; `null` if it could not be opened',
    120,
  ),
  error: described(z.nullable(error), 'Why it could not be opened; `null` if it was'),
});
