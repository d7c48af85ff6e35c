import { look } from '../../shared/monitoring/look.ts';
import { config } from '../../shared/runtime/config.ts';
import { createInspector, inspector } from '../../shared/runtime/inspector.ts';
import { lookParts } from '../../shared/runtime/look-parts.ts';
import { clock, table } from '../../shared/runtime/services.ts';
import { worker } from '../../shared/runtime/worker.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { type DueDomain, scheduleStore } from '../../shared/store/domains/schedule.ts';
import { triggers } from '../triggers.ts';

/** Longer than a call can take, and over before the message of one that crashed comes again. */
const LEASE_SECONDS = 2 * triggers.checkDomain.timeoutSeconds;

/** A domain that is due, or one that looked changed at `seenAt` and is looked at once more. */
type Message = DueDomain | { readonly organization: string; readonly id: string; readonly seenAt: string };

export const handler = worker(
  triggers.checkDomain,
  () => ({
    domains: domainStore(table()),
    schedule: scheduleStore(table()),
    parts: lookParts(table()),
    inspector: inspector(),
    // A second look is worth nothing where it is answered from what the first one kept.
    freshInspector: () => createInspector(config()),
    clock,
  }),
  async (message: Message, { domains, schedule, parts, inspector, freshInspector, clock }) => {
    const now = clock.now();
    if ('seenAt' in message) {
      const { watch } = await parts.watches.get(message.id);
      if (watch?.seen?.at !== message.seenAt) return;
      const domain = await domains.get(message.organization, message.id);
      if (domain !== undefined) await look(domain, parts, { inspector: freshInspector(), now });
      return;
    }
    if (!(await schedule.take(message, now, LEASE_SECONDS))) return;
    const domain = await domains.get(message.organization, message.id);
    if (domain !== undefined) await look(domain, parts, { inspector, now });
    await schedule.finish(message);
  },
);
