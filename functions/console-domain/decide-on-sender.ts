import { decisionsIn, decisionText, type FormDecision } from '../../shared/api/console-domain.ts';
import {
  operation,
  type SenderOutcome,
  updateSenders,
} from '../../shared/operations/enforcement/update-senders.ts';
import { Refused, readInput } from '../../shared/operations/outcome.ts';
import { domainPath, senderPath } from '../../shared/pages/console/domain/frame.ts';
import { problemOf } from '../../shared/pages/console/form-fields.ts';
import { updateSenderDependencies } from '../../shared/runtime/dependencies/enforcement.ts';
import { accepted, redirect } from '../../shared/runtime/http/reply.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

/** Returns to the page with the form: that of the reports and that of the enforcement offer to undo the decisions. */
export const handler = consoleEndpoint(
  routes.decideOnSender,
  updateSenderDependencies,
  async ({ caller, path: { id }, form }, deps) => {
    const note = form.note === undefined ? {} : { note: form.note.trim() === '' ? null : form.note.trim() };
    const decisions = decisionsIn(form).map(({ senderId, status }) => ({
      senderId,
      change: { status: status === 'none' ? null : status, ...note },
    }));
    const input = accepted(readInput(operation.input, { decisions }), 'form');
    const outcome = await updateSenders(caller, { id, ...input }, deps);
    const { startDate, endDate } = form;
    const days = { ...(startDate !== undefined && { startDate }), ...(endDate !== undefined && { endDate }) };
    if (form.on === 'sender')
      return redirect(
        outcome,
        () => senderPath(id, decisions[0]?.senderId ?? '', `${new URLSearchParams(days)}`),
        () => ({ says: 'The decision is saved.' }),
      );
    return redirect(
      outcome,
      (each) => {
        const query = new URLSearchParams({
          ...days,
          ...(form.on === 'reports' && { page: String(form.page) }),
          changed: decisionText(before(each)),
        });
        return `${domainPath(id, form.on === 'reports' ? 'dmarc' : 'enforcement')}?${query}#changed`;
      },
      saidOf(outcome),
    );
  },
);

/** What was decided before, which undoes what was done. */
const before = (each: readonly SenderOutcome[]): readonly FormDecision[] =>
  each.flatMap(({ senderId, outcome }) =>
    outcome instanceof Refused ? [] : [{ senderId, status: outcome.was ?? 'none' }],
  );

/** The page itself says what was decided; what was not is said above it. */
function saidOf(outcome: Awaited<ReturnType<typeof updateSenders>>) {
  if (outcome instanceof Refused) return undefined;
  const each = outcome.value;
  const refused = each.flatMap((one) => (one.outcome instanceof Refused ? [one.outcome] : []));
  const [first] = refused;
  if (first === undefined) return undefined;
  const says = `${each.length - refused.length} of ${each.length} decisions are saved. ${problemOf(first, 'decideOnSender')}`;
  return () => ({ says });
}
