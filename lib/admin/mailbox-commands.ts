/** The operator commands for mailboxes from which reports are fetched. */
import { readFileSync } from 'node:fs';
import { signInAgain, signInBy } from '../../shared/api/mailbox-sign-in.ts';
import { showMailbox } from '../../shared/api/mailboxes.ts';
import { sources } from '../../shared/mailboxes/mailbox.ts';
import { explain } from '../../shared/mailboxes/problem.ts';
import * as adding from '../../shared/operations/mailboxes/add-mailbox.ts';
import * as removing from '../../shared/operations/mailboxes/remove-mailbox.ts';
import * as running from '../../shared/operations/mailboxes/run-mailbox.ts';
import * as testing from '../../shared/operations/mailboxes/test-mailbox.ts';
import * as changing from '../../shared/operations/mailboxes/update-mailbox.ts';
import { pluralize } from '../../shared/protocol/quantity.ts';
import type { Mailbox } from '../../shared/store/fetched-mailboxes.ts';
import { CommandError } from '../terminal/command-line.ts';
import { jsonLines } from '../terminal/text.ts';
import { type AdminDependencies, asJson, type Commands, type Options } from './command.ts';
import { inputFor, perform } from './perform.ts';

/** What signs in, for `mailbox add` without a file. Arguments can be read by every user of a machine. */
const SECRET_VARIABLE = 'MAILBOX_SECRET';

const secretOptions = {
  '--secret-file <file>': `read the password, client secret or JSON key from a file instead of ${SECRET_VARIABLE}`,
  '--refresh-token-file <file>': 'sign in with the refresh token of a user, which is in a file',
};

/** @param folder,after,every What follows each text. */
const readingOptions = (folder: string, after: string, every: string) => ({
  '--folder <folder>': `the folder or label with the reports ${folder}`.replace(' ,', ','),
  '--after <what>':
    `what happens to a mail after its reports are stored: keep, mark-read, move or delete ${after}`.trim(),
  '--move-to <folder>': 'the folder to which mails are moved, with --after move',
  '--every <seconds>': `how often it is read ${every}`.trim(),
});

export const mailboxCommands: Commands = {
  'mailbox list': {
    args: '<org>',
    says: 'list the mailboxes from which reports are fetched',
    example: 'mailbox list default',
    options: asJson,
    async run([organization]: [string], { json }, deps) {
      const mailboxes = await deps.mailboxes.list(organization);
      return json ? jsonLines(mailboxes.map(showMailbox)) : mailboxes.flatMap(described);
    },
  },

  'mailbox add': {
    args: '<org> <name> <server> <user>',
    says: `sign in to a mailbox, and fetch reports from it; the server is the name of one with IMAP, "graph" for Microsoft Graph, or "gmail" for the Gmail API; the password, client secret or JSON key of a Google service account is in a file, or in the variable ${SECRET_VARIABLE}`,
    example: 'mailbox add default Reports imap.example.org dmarc@example.org --secret-file password.txt',
    options: {
      ...secretOptions,
      '--token-url <url>': 'sign in with access tokens (OAuth 2.0) of this token endpoint',
      '--client-id <id>': 'the ID of the client, with --token-url',
      '--scope <scope>': 'the scope of the token, with --token-url',
      '--port <port>': 'the port of the server (default: 993, or 143 with --starttls)',
      '--starttls': 'start TLS by the command STARTTLS, instead of from the beginning',
      ...readingOptions('(default: INBOX)', '(default: keep)', '(default: 900)'),
    },
    async run([organization, name, server, user]: [string, string, string, string], options, deps) {
      const { port, starttls, tokenUrl, clientId, scope } = options;
      const { secret, refreshToken } = secretsIn(options);
      const input = inputFor(adding.operation.input, {
        ...{ name, user },
        ...(isApi(server) ? { source: server } : { host: server }),
        signIn: signInBy(secret, { tokenUrl, clientId, scope, refreshToken }),
        ...(port !== undefined && { port: numberIn(port) }),
        ...(starttls === true && { security: 'starttls' }),
        ...readingOf(options),
      });
      const mailbox = await perform(adding.operation, organization, deps, async (caller) =>
        adding.addMailbox(caller, input, await connecting(deps)),
      );
      return [...described(mailbox), 'The first run starts within a minute if the service is running.'];
    },
  },

  'mailbox change': {
    args: '<org> <mailbox>',
    says: `change how a mailbox is read, pause it, or sign in with another secret, which is in a file or in the variable ${SECRET_VARIABLE}; what is not given stays`,
    example: 'mailbox change default 018f3b6e-7c2a-7d10-9b4e-5a6c7d8e9f01 --after mark-read',
    options: {
      ...secretOptions,
      '--name <name>': 'what you call it',
      ...readingOptions(', which is read from its beginning', '', ''),
      '--pause': 'do not read it until it is resumed',
      '--resume': 'read it again',
    },
    async run([organization, mailbox]: [string, string], options, deps) {
      const { name, pause = false, resume = false } = options;
      if (pause && resume) throw new CommandError('give --pause or --resume, not both');
      const { on } = changing.operation;
      const reference = inputFor(on, { id: mailbox });
      const before = await deps.mailboxes.get({ organization, ...reference });
      const input = inputFor(changing.operation.input, {
        ...(name !== undefined && { name }),
        ...(hasSecret(options) && before && { signIn: signInAgain(before.signIn, secretsIn(options)) }),
        ...((pause || resume) && { paused: pause }),
        ...readingOf(options),
      });
      const changed = await perform(changing.operation, organization, deps, async (caller) =>
        changing.updateMailbox(caller, { ...reference, ...input }, await connecting(deps)),
      );
      return described(changed);
    },
  },

  'mailbox test': {
    args: '<org> <mailbox>',
    says: 'sign in to a mailbox and count the mails of its folder, without changing anything',
    example: 'mailbox test default 018f3b6e-7c2a-7d10-9b4e-5a6c7d8e9f01',
    options: {
      '--other <user>': 'try whether the permission of an application opens the mailbox of this user, too',
    },
    async run([organization, mailbox]: [string, string], { other }, deps) {
      const input = {
        ...inputFor(testing.operation.on, { id: mailbox }),
        ...inputFor(testing.operation.input, { other }),
      };
      const { messages, error, reach } = await perform(
        testing.operation,
        organization,
        deps,
        async (caller) => testing.testMailbox(caller, input, await connecting(deps)),
      );
      if (error === null)
        return [
          `the folder has ${pluralize(messages, 'mail')}`,
          ...(reach === null ? [] : [reach.message, ...(reach.fix === null ? [] : [reach.fix])]),
        ];
      deps.setExitCode(1);
      return problemLines(error);
    },
  },

  'mailbox run': {
    args: '<org> <mailbox>',
    says: 'have the service read a mailbox now; "mailbox list" shows the result',
    example: 'mailbox run default 018f3b6e-7c2a-7d10-9b4e-5a6c7d8e9f01',
    options: { '--all': 'read all mails of the folder again; nothing counts twice' },
    async run([organization, mailbox]: [string, string], { all = false }, deps) {
      const { mailboxes, rates, clock, mailboxRuns: runs } = deps;
      const input = { ...inputFor(running.operation.on, { id: mailbox }), again: all };
      const { name } = await perform(running.operation, organization, deps, (caller) =>
        running.runMailbox(caller, input, { mailboxes, rates, clock, runs }),
      );
      return [`${name} is read within a minute if the service is running`];
    },
  },

  'mailbox remove': {
    args: '<org> <mailbox>',
    says: 'fetch no more reports from a mailbox, and delete its password here; reports that were fetched stay',
    example: 'mailbox remove default 018f3b6e-7c2a-7d10-9b4e-5a6c7d8e9f01',
    async run([organization, mailbox]: [string, string], _options, deps) {
      const input = inputFor(removing.operation.on, { id: mailbox });
      const { name } = await perform(removing.operation, organization, deps, (caller) =>
        removing.removeMailbox(caller, input, deps),
      );
      return [`${name} is removed`];
    },
  },
};

async function connecting(deps: AdminDependencies) {
  const { mailboxes, mailboxSecrets: secrets, rates, clock } = deps;
  return { mailboxes, secrets, rates, clock, ...(await deps.mailboxConnections()) };
}

/** What the service reads over an API is named by it. */
const isApi = (server: string): boolean => sources.some((one) => one === server && one !== 'imap');

const hasSecret = ({ secretFile, refreshTokenFile }: Options): boolean =>
  secretFile !== undefined || refreshTokenFile !== undefined || process.env[SECRET_VARIABLE] !== undefined;

/** What is not given is empty. @throws CommandError if there is nothing, or if a file cannot be read. */
function secretsIn({ secretFile, refreshTokenFile }: Options) {
  const refreshToken = refreshTokenFile === undefined ? '' : lineIn(refreshTokenFile);
  const secret = secretFile === undefined ? (process.env[SECRET_VARIABLE] ?? '') : lineIn(secretFile);
  if (secret === '' && refreshToken === '')
    throw new CommandError(`set ${SECRET_VARIABLE}, or use --secret-file`);
  return { secret, refreshToken };
}

/** Without the end of the last line, which editors add. @throws CommandError if the file cannot be read. */
function lineIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new CommandError(`the secret cannot be read: ${(error as Error).message}`);
  }
}

const readingOf = ({ folder, after, moveTo, every }: Options) => ({
  ...(folder !== undefined && { folder }),
  ...(after !== undefined && { after }),
  ...(moveTo !== undefined && { moveTo }),
  ...(every !== undefined && { everySeconds: numberIn(every) }),
});

/** What is no whole number is passed on, so that the operation says what is wrong. */
const numberIn = (text: string): number | string => (/^\d{1,9}$/.test(text) ? Number(text) : text);

function described(mailbox: Mailbox): string[] {
  const { id, name, user, signIn, folder, after, moveTo, everySeconds } = mailbox;
  const { paused, lastRunAt, lastError, failingSince, read, accepted, remaining } = mailbox;
  const then = after === 'move' ? `move to ${moveTo}` : after;
  return [
    `${id}  ${name}`,
    `  ${user} at ${serverOf(mailbox)}, folder ${folder}, then ${then}, by ${signIn.kind}, every ${pluralize(everySeconds, 'second')}${paused ? ', paused' : ''}`,
    `  ${pluralize(read, 'mail')} read, ${pluralize(accepted, 'report')} stored, ${remaining} left for the next run; last run: ${lastRunAt ?? 'none yet'}`,
    ...(lastError === null
      ? []
      : [`  failing since ${failingSince}`, ...problemLines(lastError).map((line) => `  ${line}`)]),
  ];
}

const serverOf = (mailbox: Mailbox): string =>
  mailbox.source === 'imap'
    ? `${mailbox.host}:${mailbox.port} (${mailbox.security})`
    : apiNames[mailbox.source];

const apiNames = { graph: 'Microsoft Graph', gmail: 'the Gmail API' } as const;

function problemLines(error: Parameters<typeof explain>[0]): string[] {
  const { code, message, fix } = explain(error);
  return [`${code}: ${message}`, fix];
}
