/** Routes of the page of mailboxes of the console. */
import {
  addMailboxForm,
  changeMailboxForm,
  mailboxesQuery,
  removeMailboxForm,
  runMailboxForm,
} from '../../shared/api/console-mailboxes.ts';
import { mailboxPath } from '../../shared/api/mailboxes.ts';
import { operation as addMailbox } from '../../shared/operations/mailboxes/add-mailbox.ts';
import { operation as removeMailbox } from '../../shared/operations/mailboxes/remove-mailbox.ts';
import { operation as runMailbox } from '../../shared/operations/mailboxes/run-mailbox.ts';
import { operation as updateMailbox } from '../../shared/operations/mailboxes/update-mailbox.ts';
import { named, shows, submits } from '../route-kinds.ts';

export const routes = named({
  showMailboxes: {
    ...shows('/console/mailboxes', { query: mailboxesQuery }),
    handler: 'console-mailboxes/show',
    summary: 'Show the mailboxes from which reports are fetched, in the console',
    errorImpact: 'Visitors cannot see mailboxes in the console.',
    uses: ['fetched-mailboxes:read'],
  },
  addMailboxInConsole: {
    ...submits(addMailbox, '/console/mailboxes', 'the mailboxes'),
    // A server has 20 seconds to answer.
    timeoutSeconds: 28,
    path: '/console/mailboxes',
    handler: 'console-mailboxes/add',
    summary: 'Add a mailbox in the console',
    errorImpact: 'Visitors cannot add mailboxes in the console.',
    request: { form: addMailboxForm },
  },
  showMailbox: {
    ...shows('/console/mailboxes/{id}', { path: mailboxPath }),
    handler: 'console-mailboxes/show-one',
    summary: 'Show a mailbox from which reports are fetched, in the console',
    errorImpact: 'Visitors cannot see a mailbox in the console.',
    uses: ['fetched-mailboxes:read'],
  },
  changeMailboxInConsole: {
    ...submits(updateMailbox, '/console/mailboxes/{id}', 'the mailbox'),
    timeoutSeconds: 28,
    path: '/console/mailboxes/{id}',
    handler: 'console-mailboxes/change',
    summary: 'Change or pause a mailbox in the console',
    errorImpact: 'Visitors cannot change mailboxes in the console.',
    request: { path: mailboxPath, form: changeMailboxForm },
  },
  runMailboxInConsole: {
    ...submits(runMailbox, '/console/mailboxes', 'the mailboxes'),
    path: '/console/mailboxes/run',
    handler: 'console-mailboxes/run',
    summary: 'Read a mailbox now, from the console',
    errorImpact: 'Visitors cannot have mailboxes read at once in the console.',
    request: { form: runMailboxForm },
  },
  removeMailboxInConsole: {
    ...submits(removeMailbox, '/console/mailboxes', 'the mailboxes'),
    path: '/console/mailboxes/remove',
    handler: 'console-mailboxes/remove',
    summary: 'Remove a mailbox in the console',
    errorImpact: 'Visitors cannot remove mailboxes in the console.',
    request: { form: removeMailboxForm },
  },
});
