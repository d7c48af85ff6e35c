import { updateSender } from '../../shared/operations/enforcement/update-sender.ts';
import { domainPath, senderPath } from '../../shared/pages/console/domain/frame.ts';
import { consolePages } from '../../shared/pages/console/layout.ts';
import { updateSenderDependencies } from '../../shared/runtime/dependencies/enforcement.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { redirect } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';

/** Returns to the page of the same window: that of the reports offers to undo the decision. */
export const handler = endpoint(
  routes.decideOnSender,
  updateSenderDependencies,
  async ({ path: { id }, form, ...request }, deps) => {
    const { sender: senderId, status, note, startDate, endDate, page } = form;
    const decided = {
      ...{ id, senderId, status: status === 'none' ? null : status },
      ...(note !== undefined && { note: note.trim() === '' ? null : note.trim() }),
    };
    const outcome = await updateSender(asCaller(request), decided, deps);
    const days = { startDate, endDate };
    if (form.on === 'sender')
      return redirect(
        outcome,
        () => senderPath(id, senderId, `${new URLSearchParams(days)}`),
        () => ({ says: 'The decision is saved.' }),
      );
    return redirect(outcome, ({ was }) => {
      const window = { ...days, page: String(page) };
      const query = new URLSearchParams({ ...window, changed: senderId, was: was ?? 'none' });
      return `${domainPath(id, 'dmarc')}?${query}#changed`;
    });
  },
  consolePages,
);
