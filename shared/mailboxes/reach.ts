/** Whether what signs in to a mailbox opens others, too, and how to limit it. */
import { FolderProblem } from '../network/folder-port.ts';
import { TokenProblem } from '../network/token-port.ts';
import { printable } from '../protocol/printable.ts';
import type { SignIn } from './mailbox.ts';

export const reachStatuses = ['this-mailbox', 'further', 'unknown'] as const;

export interface Reach {
  readonly status: (typeof reachStatuses)[number];
  /** What is known, in a sentence. */
  readonly message: string;
  /** How to limit it, or how to find out; null if there is nothing to do. */
  readonly fix: string | null;
}

const MAX_ADDRESS = 100;

const LIMIT_APPLICATION =
  'Limit the application to the mailboxes that it needs. For Microsoft Graph, in Exchange Online with a role assignment that has a scope (New-ManagementRoleAssignment -Role "Application Mail.ReadWrite" -CustomResourceScope) in place of the permission in Microsoft Entra, or with New-ApplicationAccessPolicy -AccessRight RestrictAccess; for IMAP, with Remove-MailboxPermission on the others.';

/** What needs no attempt to know; undefined for an application, which opens what somebody allowed it to. */
export function reachOf({ kind }: SignIn): Reach | undefined {
  switch (kind) {
    case 'password':
      return { status: 'this-mailbox', message: 'The password opens this account', fix: null };
    case 'oauth2-refresh-token':
      return {
        ...{ status: 'this-mailbox', fix: null },
        message: 'The token opens what the user who signed in can open',
      };
    case 'google-service-account':
      return {
        status: 'further',
        message: 'The key of the service account opens the mailbox of every user of the Workspace',
        fix: 'Google offers no way to limit a delegation to one mailbox. Use a refresh token of the one user instead, or forward the reports.',
      };
    case 'oauth2-client-credentials':
      return undefined;
  }
}

/** What is not known without the address of another mailbox. */
export const untried: Reach = {
  status: 'unknown',
  message: 'The application can open what an administrator allowed it to',
  fix: 'To find out, test with the address of another mailbox, which it should not open.',
};

/** @param attempt Opens the other mailbox with the same permission. Throws what is no answer of a provider. */
export async function reachTo(
  other: string,
  attempt: () => Promise<{ close(): Promise<void> }>,
): Promise<Reach> {
  const address = printable(other, MAX_ADDRESS);
  try {
    await (await attempt()).close();
    return { status: 'further', message: `The application opens ${address}, too`, fix: LIMIT_APPLICATION };
  } catch (error) {
    if (!(error instanceof FolderProblem) && !(error instanceof TokenProblem)) throw error;
    return error instanceof FolderProblem && closedBy.includes(error.code)
      ? { status: 'this-mailbox', message: `The application does not open ${address}`, fix: null }
      : {
          status: 'unknown',
          message: `Whether the application opens ${address} is not known: ${printable(error.detail, MAX_DETAIL)}`,
          fix: 'Test with the address of a mailbox that exists.',
        };
  }
}

const MAX_DETAIL = 200;

/** What says that the mailbox is not open to the application. */
const closedBy: readonly FolderProblem['code'][] = ['not-permitted', 'token-not-accepted', 'sign-in-refused'];
