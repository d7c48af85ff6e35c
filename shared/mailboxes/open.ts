/** Opens the folder of a mailbox. */
import type { Imap, ImapAccount, ImapFolder } from '../network/imap-port.ts';
import type { Grant, Tokens } from '../network/token-port.ts';
import type { MailboxSecret, MailboxSettings } from './mailbox.ts';

export interface MailboxConnections {
  readonly imap: Imap;
  readonly tokens: Tokens;
}

/** @param signal Ends the connection. @throws ImapProblem, TokenProblem */
export async function openMailbox(
  settings: MailboxSettings,
  secret: MailboxSecret,
  signal: AbortSignal,
  { imap, tokens }: MailboxConnections,
): Promise<ImapFolder> {
  const { host, port, security, user, folder, after } = settings;
  const credential = await credentialOf(settings, secret, tokens);
  return imap.open(
    { host, port, security, user, credential },
    { folder, readOnly: after === 'keep', removes: after === 'move' || after === 'delete', signal },
  );
}

async function credentialOf(
  { signIn, user }: MailboxSettings,
  { secret }: MailboxSecret,
  tokens: Tokens,
): Promise<ImapAccount['credential']> {
  if (signIn.kind === 'password') return { kind: 'password', value: secret };
  const { kind, ...client } = signIn;
  const grant: Grant =
    kind === 'google-service-account'
      ? { kind, ...client, privateKey: secret, user }
      : { kind, ...client, clientSecret: secret };
  return { kind: 'token', value: await tokens.tokenFor(grant) };
}
