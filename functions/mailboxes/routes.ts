/** Routes of mailboxes from which reports are fetched. */
import * as z from 'zod/mini';
import { paginationQuery } from '../../shared/api/common.ts';
import { deleted } from '../../shared/api/domains.ts';
import { mailbox, mailboxPath, mailboxTest } from '../../shared/api/mailboxes.ts';
import { operation as addMailbox } from '../../shared/operations/mailboxes/add-mailbox.ts';
import { operation as removeMailbox } from '../../shared/operations/mailboxes/remove-mailbox.ts';
import { operation as runMailbox } from '../../shared/operations/mailboxes/run-mailbox.ts';
import { operation as testMailbox } from '../../shared/operations/mailboxes/test-mailbox.ts';
import { operation as updateMailbox } from '../../shared/operations/mailboxes/update-mailbox.ts';
import { created, data, named, paged, performs, reads } from '../route-kinds.ts';

/** A server has 20 seconds to answer. */
const WITH_CONNECTION = { timeoutSeconds: 28 } as const;

export const routes = named({
  listMailboxes: {
    ...reads('/api/v1/mailboxes', { query: paginationQuery }),
    handler: 'mailboxes/list',
    summary: 'List the mailboxes from which reports are fetched, oldest first',
    errorImpact: 'API clients cannot list mailboxes.',
    success: paged('A page of mailboxes', z.array(mailbox)),
    uses: ['fetched-mailboxes:read'],
  },
  addMailbox: {
    ...performs('POST', '/api/v1/mailboxes', addMailbox),
    ...WITH_CONNECTION,
    handler: 'mailboxes/add',
    errorImpact: 'API clients cannot add mailboxes.',
    success: created('The mailbox', mailbox, '/api/v1/mailboxes/{id}'),
  },
  getMailbox: {
    ...reads('/api/v1/mailboxes/{id}', { path: mailboxPath }),
    handler: 'mailboxes/get',
    summary: 'Get a mailbox from which reports are fetched, with the result of its last run',
    errorImpact: 'API clients cannot read a mailbox.',
    success: data('The mailbox', mailbox),
    uses: ['fetched-mailboxes:read'],
  },
  updateMailbox: {
    ...performs('PATCH', '/api/v1/mailboxes/{id}', updateMailbox),
    ...WITH_CONNECTION,
    handler: 'mailboxes/update',
    errorImpact: 'API clients cannot change mailboxes.',
    success: data('The mailbox', mailbox),
  },
  testMailbox: {
    ...performs('POST', '/api/v1/mailboxes/{id}/test', testMailbox),
    ...WITH_CONNECTION,
    handler: 'mailboxes/test',
    errorImpact: 'API clients cannot test mailboxes.',
    request: { path: testMailbox.on, query: testMailbox.input },
    success: data('How many mails the folder has, or why it cannot be opened', mailboxTest),
  },
  runMailbox: {
    ...performs('POST', '/api/v1/mailboxes/{id}/runs', runMailbox),
    handler: 'mailboxes/run',
    errorImpact: 'API clients cannot have a mailbox read at once; it is still read on schedule.',
    success: created('The mailbox, before the run', mailbox, '/api/v1/mailboxes/{id}'),
  },
  removeMailbox: {
    ...performs('DELETE', '/api/v1/mailboxes/{id}', removeMailbox),
    handler: 'mailboxes/remove',
    errorImpact: 'API clients cannot remove mailboxes.',
    success: data('The mailbox was removed', deleted),
  },
});
