/** Opens the folder of a mailbox. */
import type { FolderRequest, MailApi, MailFolder } from '../network/folder-port.ts';
import { imapFolder } from '../network/imap-folder.ts';
import type { Imap, ImapAccount } from '../network/imap-port.ts';
import type { Grant, Tokens } from '../network/token-port.ts';
import { MAX_MESSAGE_BYTES } from '../reports/limits.ts';
import { googleScope, type MailboxSecret, type MailboxSettings } from './mailbox.ts';

export interface MailboxConnections {
  readonly imap: Imap;
  readonly graph: MailApi;
  readonly gmail: MailApi;
  readonly tokens: Tokens;
}

/**
 * @param keep Stores what signs in from now on, before anything else happens: the authorization server may have ended what
 * signed in until now.
 * @param signal Ends the connection.
 * @throws FolderProblem, TokenProblem, and what `keep` throws.
 */
export async function openMailbox(
  settings: MailboxSettings,
  secret: MailboxSecret,
  keep: (secret: MailboxSecret) => Promise<void>,
  signal: AbortSignal,
  connections: MailboxConnections,
): Promise<MailFolder> {
  const { user, folder, after } = settings;
  const removes = after === 'move' || after === 'delete';
  const request: FolderRequest = { folder, readOnly: after === 'keep', removes, signal };
  const credential = await credentialOf(settings, secret, keep, signal, connections.tokens);
  if (settings.source !== 'imap')
    return connections[settings.source].open({ user, token: credential.value }, request);
  const { host, port, security } = settings;
  const account: ImapAccount = { host, port, security, user, credential };
  return imapFolder(await connections.imap.open(account, request), MAX_MESSAGE_BYTES);
}

async function credentialOf(
  settings: MailboxSettings,
  secret: MailboxSecret,
  keep: (secret: MailboxSecret) => Promise<void>,
  signal: AbortSignal,
  tokens: Tokens,
): Promise<ImapAccount['credential']> {
  if (settings.signIn.kind === 'password') return { kind: 'password', value: secret.secret };
  const { access, refresh } = await tokens.tokenFor(grantOf(settings, settings.signIn, secret), signal);
  const isNew = settings.signIn.kind === 'oauth2-refresh-token' && refresh !== undefined;
  if (isNew && refresh !== secret.secret) await keep({ ...secret, secret: refresh });
  return { kind: 'token', value: access };
}

function grantOf(
  settings: MailboxSettings,
  signIn: Exclude<MailboxSettings['signIn'], { kind: 'password' }>,
  { secret, clientSecret }: MailboxSecret,
): Grant {
  switch (signIn.kind) {
    case 'oauth2-client-credentials':
      return { ...signIn, kind: signIn.kind, clientSecret: secret };
    case 'oauth2-refresh-token':
      return { ...signIn, kind: signIn.kind, refreshToken: secret, clientSecret };
    case 'google-service-account':
      return { ...signIn, scope: googleScope(settings), privateKey: secret, user: settings.user };
  }
}
