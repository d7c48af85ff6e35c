/** Why a mailbox cannot be read, and what to do about it. Stored without the texts of this file. */
import * as z from 'zod/mini';
import { FolderProblem } from '../network/folder-port.ts';
import { TokenProblem } from '../network/token-port.ts';
import { printable } from '../protocol/printable.ts';

/** What to do, in sentences. */
const fixes = {
  'name-not-found': 'Check the name of the server.',
  'name-resolution':
    'The DNS lookup of the server failed. The next run tries again; if that lasts, check the name servers of its domain.',
  'address-not-public':
    'The service does not connect to private addresses. Use a server with a public address, or have the operator of a service on one machine set PRIVATE_ADDRESSES.',
  unreachable: 'Check the name and the port of the server, and that its firewall admits this service.',
  timeout:
    'The server did not answer in time. The next run tries again; if that lasts, check the port, and whether it needs TLS from the start or STARTTLS.',
  certificate:
    'The certificate of the server is not trusted, has expired, or is for another name. Use the name that it is for, or have the server renew it. The service sends no password without a valid certificate.',
  tls: 'TLS could not be set up. Check the port: 993 needs TLS from the start ("tls"), and 143 needs "starttls". The server must offer TLS 1.2 or newer.',
  'sign-in-refused':
    'Check the user name and the password. Many providers need an app password, and IMAP must be enabled for the mailbox. Then enter the password for this mailbox again.',
  'token-not-accepted':
    'The authorization server gave a token, but the mail server does not accept it for this user. For Microsoft 365, check that an administrator consented to the application permission IMAP.AccessAsApp, that the service principal is registered in Exchange Online with the object ID of the enterprise application, and that it has full access to this mailbox. Changes take up to two hours.',
  'api-token':
    'The authorization server gave a token, but the API does not accept it. Check the scope of the token: for Microsoft Graph it is https://graph.microsoft.com/.default.',
  'wrong-user':
    'The token is for another user. Enter the primary address of the user who signed in as the user name, or let the owner of this mailbox sign in.',
  'not-permitted':
    'The permission does not include this mailbox. For Microsoft Graph, check the role assignment of the application in Exchange Online (Application Mail.ReadWrite, or Application Mail.Read to keep mails as they are), and that its scope includes the mailbox. Changes take up to two hours; do not grant the permission in Microsoft Entra meanwhile, because that one includes every mailbox. For Gmail, the token needs the scope gmail.modify, or gmail.readonly to keep mails as they are.',
  'mailbox-not-found':
    'The provider has no mailbox with this user name. Use the primary address of the mailbox. For Microsoft 365, the mailbox must be in Exchange Online.',
  'api-disabled':
    'The Gmail API is not enabled. Enable it in the Google Cloud console, in the project of the service account or client (APIs & Services, Library), and wait some minutes.',
  'token-unreachable': 'Check the token URL. It needs https, a public address, and a valid certificate.',
  'token-client':
    'The authorization server does not know this client, or does not allow it. Check the client ID, and for Microsoft 365 that the application is in the tenant of the token URL. For a Google service account, check in the Admin console that domain-wide delegation lists its client ID with the scope that the mailbox shows.',
  'token-client-secret':
    'The authorization server does not accept the client ID with this secret. Use the value of the secret and not its ID, and create a new one if it has expired. Then enter it for this mailbox.',
  'token-key':
    'Google does not accept the signature of the service account for this user. Check that the user exists in your Google Workspace and that the key was not deleted. Then enter a new key for this mailbox.',
  'token-refresh':
    'The refresh token no longer works: it was revoked, was used elsewhere, was not used for too long, or the password of the user was changed. At Google, it also ends after seven days while the consent screen is in the status Testing. Let the user sign in again, and enter the new refresh token for this mailbox.',
  'token-tenant': 'The tenant in the token URL does not exist. Check its ID or domain name.',
  'token-scope':
    'The authorization server does not offer this scope. For Microsoft 365, it is https://graph.microsoft.com/.default, or https://outlook.office365.com/.default for IMAP.',
  'token-busy':
    'The authorization server is busy, or limits how often tokens are asked for. The service waits, and the next run tries again.',
  'token-refused':
    'The authorization server gave no token. What it said is above; show it to its administrator.',
  throttled:
    'The provider limits how often or how much is read. The service waits for the next run; if that lasts, let it read the mailbox less often.',
  'folder-not-found': 'Use the name of a folder that exists. Names are compared without regard to case.',
  'folder-read-only':
    'The user may only read this folder. Give it the right to change mails there, or keep the mails as they are ("keep").',
  'cannot-remove':
    'Without the extension UIDPLUS, removing a mail could remove others that are marked as deleted. Mark mails as read instead ("mark-read"), or keep them ("keep").',
  'cannot-make-folder':
    'The folder to which mails are moved does not exist, and the server refuses to make it. Make it yourself, or enter another name. Reports are stored meanwhile.',
  'mailbox-full':
    'The mailbox is full, so mails cannot be moved in it. Delete mails there, or let the service delete them. Reports are stored meanwhile.',
  'connection-lost':
    'The connection ended early. What was stored stays stored, and the next run reads the rest.',
  'server-error':
    'The next run tries again. If that lasts, show the message to the administrator of the mail server.',
  'in-use': 'A run reads the mailbox at this moment. Test it again in a few minutes.',
  'secret-missing':
    'The password or secret is not stored here, for example because an export without secrets was imported. Enter it for this mailbox again.',
  internal:
    'The service failed. The next run tries again; if that lasts, its operator finds the cause in its log.',
} as const;

export type MailboxProblemCode = keyof typeof fixes;

export const problemCodes = Object.keys(fixes) as [MailboxProblemCode, ...MailboxProblemCode[]];

export const mailboxError = z.object({
  /** Of any release. */
  code: z.string(),
  /** What failed, or what the server said; for people. */
  message: z.string(),
});

export type MailboxError = Readonly<z.infer<typeof mailboxError>>;

const MAX_MESSAGE = 300;

/** What an error says about a mailbox. Others than those of its server say nothing that users may see. */
export const errorOf = (error: unknown): MailboxError =>
  error instanceof FolderProblem || error instanceof TokenProblem
    ? problem(error.code, error.detail)
    : problem('internal', 'an internal error occurred');

export const problem = (code: MailboxProblemCode, message: string): MailboxError => ({
  code,
  message: printable(message, MAX_MESSAGE),
});

const isKnown = (code: string): code is MailboxProblemCode => Object.hasOwn(fixes, code);

/** An error in a code that this release knows, with what to do. */
export function explain({ code, message }: MailboxError): {
  readonly code: MailboxProblemCode;
  readonly message: string;
  readonly fix: string;
} {
  const known = isKnown(code) ? code : 'server-error';
  return { code: known, message, fix: fixes[known] };
}
