/** What check runs of domains that nobody proved to be theirs send to one address, counted for all of them. */
import type { CheckContext } from '../../checks/inspect.ts';
import { type ContactKind, limitNetwork, RUN_LIMITS } from '../../checks/limit-network.ts';
import { callerOf } from '../../network/caller.ts';
import type { LimitDependencies } from './limit-dependencies.ts';

const MINUTE_MILLISECONDS = 60_000;

/**
 * Per minute and address (IPv6: /64 network). What a mail host says about itself is cached for five minutes in each
 * process, so 30 connections are enough for the domains of large providers while fewer than 30 processes start a minute.
 * A run queries each name server about four times, and large DNS providers serve many domains from one address.
 */
const CONTACTS: Readonly<Record<ContactKind, number>> = { smtp: 30, https: 30, dns: 120 };

/** The dependencies of the checks for one such run. */
export function limitCheckContext(
  checkContext: CheckContext,
  { limits, clock }: LimitDependencies,
  ofRun = RUN_LIMITS,
): CheckContext {
  const mayContact = async (kind: ContactKind, address: string): Promise<boolean> => {
    const rate = { limit: CONTACTS[kind], windowMilliseconds: MINUTE_MILLISECONDS };
    const decision = await limits.consume(`contacts-${kind}`, callerOf(address), rate, clock.now());
    return decision.allowed;
  };
  return { ...checkContext, network: limitNetwork(checkContext.network, mayContact, ofRun) };
}
