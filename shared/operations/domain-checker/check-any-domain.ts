import * as z from 'zod/mini';
import { missing } from '../../api/common.ts';
import { domainCheckBody } from '../../api/domain-check-requests.ts';
import { readTypedName } from '../../api/domain-names.ts';
import { type CheckContext, inspectDomain } from '../../checks/inspect.ts';
import { recordLookups } from '../../checks/record-lookups.ts';
import { createRecorder, type RecordedRun } from '../../checks/recording/record.ts';
import { MAX_RECORDING_CHARACTERS, recording } from '../../checks/recording/recorded.ts';
import { RELEASE } from '../../checks/release.ts';
import { parseDomainName } from '../../protocol/domain-name.ts';
import type { CheckedDomain, DomainCheckStore, SharedCheck } from '../../store/domain-checks.ts';
import type { exactRateStore } from '../../store/rates/exact-rates.ts';
import { limitCheckContext } from '../limits/contacts.ts';
import { countDomainRun } from '../limits/domain-runs.ts';
import type { LimitDependencies } from '../limits/limit-dependencies.ts';
import type { InputOf, Operation, OutcomeOf } from '../operation.ts';
import { invalid, Refused, tooOften } from '../outcome.ts';
import type { VerifiedOwner } from './owner.ts';

export const operation = {
  name: 'checkAnyDomain',
  summary: 'Run all checks of any domain, and get its score and recommended changes',
  description:
    'Stores nothing about the domain but the results, for a minute; until then, requests for it get the same results.',
  scope: 'read',
  input: domainCheckBody,
  refusals: ['invalid_request', 'not_found', 'payload_too_large', 'rate_limited'],
  uses: ['domain-checks:write', 'rate-limits:write', 'dns', 'probes'],
} as const satisfies Operation;

/** Check runs of a domain, by all clients together. Requests that get results of the last minute do not count. */
const DOMAIN_RATE = { limit: 3, windowMilliseconds: 60_000 };

export interface CheckDependencies extends LimitDependencies {
  /** Whether the operator turned the domain checker off. */
  readonly isOff: boolean;
  readonly checks: DomainCheckStore;
  readonly rates: Pick<ReturnType<typeof exactRateStore>, 'consumeExact'>;
  readonly checkContext: CheckContext;
}

/** A check, and the owner who asked for it. */
export interface OwnedCheck {
  readonly check: SharedCheck;
  readonly owner: VerifiedOwner | null;
}

/**
 * Checks a domain as anybody, or as its owner.
 * @param ownerOf The owner of the domain of that name, if the caller is the owner.
 */
export async function checkAnyDomain(
  { domain, usageType }: Pick<InputOf<typeof operation>, 'domain' | 'usageType'>,
  { isOff, ...deps }: CheckDependencies,
  ownerOf: (domain: string) => Promise<VerifiedOwner | null> = async () => null,
): Promise<OutcomeOf<typeof operation, OwnedCheck>> {
  if (isOff) return new Refused('not_found', missing.domainChecker);
  const parsed = readTypedName(domain, parseDomainName);
  if (!parsed.ok) return invalid({ path: 'domain', message: parsed.problem });
  const owner = await ownerOf(parsed.name);
  const checked = await recentCheck(parsed.name, owner, deps);
  return checked instanceof Refused ? checked : { value: { check: { ...checked, usageType }, owner } };
}

/**
 * Runs all checks of any domain, or returns the results of the last minute. Without an owner, nothing in them depends on
 * whether the domain is registered here.
 */
export async function recentCheck(
  domain: string,
  owner: VerifiedOwner | null,
  { checks, rates, checkContext: unlimited, ...deps }: Omit<CheckDependencies, 'isOff'>,
): Promise<CheckedDomain | Refused<'rate_limited'>> {
  const { clock } = deps;
  const now = clock.now();
  const organization = owner?.organization ?? null;
  const recent = await checks.recent(domain, organization, now);
  if (recent !== undefined) return recent;
  const decision = await rates.consumeExact('domain-check', domain, DOMAIN_RATE, now);
  if (!decision.allowed)
    return tooOften(
      decision.retryAfterMilliseconds,
      `A domain can be checked at most ${DOMAIN_RATE.limit} times per minute.`,
    );
  const refused = owner === null ? await countDomainRun(domain, 'anonymous', deps) : undefined;
  if (refused !== undefined) return refused;
  const checkContext = owner === null ? limitCheckContext(unlimited, deps) : unlimited;
  const { dns, lookups } = recordLookups(checkContext.network.dns);
  const recorder = createRecorder(clock, now);
  const results = await inspectDomain(
    {
      domain,
      testEmailLocalPart: null,
      knownSelectors: [],
      ...(owner === null ? {} : { reportMailbox: owner.mailbox }),
    },
    { ...checkContext, network: { ...checkContext.network, dns }, recorder },
  );
  const checked = {
    ...{ domain, checkedAt: now.toISOString(), results, lookups: lookups() },
    ...evidenceOf(recorder.run()),
  };
  await checks.keep(checked, organization);
  return checked;
}

function evidenceOf(run: RecordedRun | undefined): Pick<CheckedDomain, 'evidence'> {
  if (run === undefined || JSON.stringify(run.recording).length > MAX_RECORDING_CHARACTERS) return {};
  const encoded = [...run.certificates].map(
    ([hash, der]) => [hash, Buffer.from(der).toString('base64')] as const,
  );
  const certificates = Object.fromEntries(encoded);
  return { evidence: { release: RELEASE, recording: z.parse(recording, run.recording), certificates } };
}
