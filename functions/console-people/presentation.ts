/** How forms about members are answered. */
import type { Outcome } from '../../shared/operations/outcome.ts';
import { MEMBERS_PATH } from '../../shared/pages/console/paths.ts';
import { type Reply, redirect, type Said } from '../../shared/runtime/http/reply.ts';

/** Leads back to the page, which says what a form did or why it did nothing. */
export const changed = <Value>(outcome: Outcome<Value>, say: (value: Value) => Said): Reply<string> =>
  redirect(outcome, () => MEMBERS_PATH, say);
