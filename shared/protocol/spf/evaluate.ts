/** check_host(): whether a client is authorized to send mail for a domain (RFC 7208 section 4). */
import { domainToASCII } from 'node:url';
import type { Dns } from '../dns.ts';
import { canonicalName, isLookupName, isWithin } from '../domain-name.ts';
import { contains, type IpAddress, parseIp, reverseName, unmapped } from '../ip.ts';
import { domainOf, localPartOf } from '../mail-address.ts';
import { MAX_EXPLANATION, MAX_LOOKUPS, MAX_PTR_NAMES, MAX_VOID_LOOKUPS } from './limits.ts';
import { designate, type LookupStatus, lookupCost, lookupPolicy, targetName } from './lookups.ts';
import {
  expandMacros,
  type MacroLetter,
  type MacroMessage,
  type MacroString,
  macroLetters,
  macroValue,
  parseMacroString,
} from './macro.ts';
import { type Include, type Mechanism, type NamedModifier, QUALIFIER_RESULTS } from './record.ts';

export type SpfResultName = 'none' | 'neutral' | 'pass' | 'fail' | 'softfail' | 'temperror' | 'permerror';

export interface SpfRequest {
  /** Address of the SMTP client. */
  readonly ip: string;
  /** The reverse-path without brackets; empty for bounces, whose sender is then postmaster at `helo`. */
  readonly mailFrom: string;
  readonly helo: string;
  /** The domain of the record, if it is not the domain of the sender. */
  readonly domain?: string;
  /** Name of the evaluating host, for `%{r}`. Default: `unknown`. */
  readonly receiver?: string;
  readonly now: Date;
}

type SpfProblemKind =
  | 'invalid-ip'
  | 'syntax'
  | 'multiple-records'
  | 'no-record'
  | 'lookup-limit'
  | 'void-lookup-limit'
  | 'mx-limit'
  | 'unavailable';

/** Why there is no verdict: the kind, the domain of the record, and the term as published. */
export interface SpfProblem {
  readonly kind: SpfProblemKind;
  readonly domain: string;
  readonly term?: string;
}

export interface SpfEvaluation {
  readonly result: SpfResultName;
  /** The explanation of the domain for clients that fail (RFC 7208 section 6.2). */
  readonly explanation?: string;
  /** The domain whose record was evaluated. */
  readonly domain: string;
  readonly lookups: number;
  readonly voidLookups: number;
  /** The term that matched, and the domain of its record. */
  readonly matched?: { readonly domain: string; readonly term: string };
  readonly problem?: SpfProblem;
}

/** The state of one evaluation: the lookups spent so far, and the data of the message. */
interface Session {
  readonly dns: Dns;
  readonly message: MacroMessage;
  lookups: number;
  voidLookups: number;
  /** The names of the client, looked up on first use. */
  reverse?: Promise<ReverseNames>;
}

/** The names of a client by reverse DNS. */
interface ReverseNames {
  readonly status: LookupStatus;
  /** The names that resolve to the address of the client. */
  readonly validated: readonly string[];
}

interface Verdict {
  readonly result: SpfResultName;
  readonly matched?: { readonly domain: string; readonly term: string };
  readonly problem?: SpfProblem;
  /** The `exp` of the record that decided. */
  readonly exp?: { readonly domain: string; readonly modifier: NamedModifier };
}

/** A verdict that ends the evaluation, instead of match or no match. */
type Failure = Verdict & { readonly result: 'permerror' | 'temperror'; readonly problem: SpfProblem };

/**
 * Evaluates the SPF record of the sender's domain for one client. Never throws. Takes as long as its lookups: at most
 * eleven times two rounds, each limited by the Dns.
 */
export async function evaluate(request: SpfRequest, dns: Dns): Promise<SpfEvaluation> {
  const senderDomain = asciiName(request.mailFrom === '' ? request.helo : domainOf(request.mailFrom));
  const localPart = localPartOf(request.mailFrom) || 'postmaster';
  const domain = request.domain === undefined ? senderDomain : asciiName(request.domain);
  const client = parseIp(request.ip);
  if (client === undefined) {
    return { result: 'none', domain, lookups: 0, voidLookups: 0, problem: { kind: 'invalid-ip', domain } };
  }
  const session: Session = {
    dns,
    message: {
      client: unmapped(client),
      localPart,
      senderDomain,
      helo: request.helo,
      receiver: request.receiver ?? 'unknown',
      now: request.now,
    },
    lookups: 0,
    voidLookups: 0,
  };
  const { exp, ...verdict } = await checkHost(session, domain);
  const { lookups, voidLookups } = session;
  const explanation =
    verdict.result === 'fail' && exp ? await explain(session, exp.domain, exp.modifier) : undefined;
  return {
    ...verdict,
    ...(explanation === undefined ? {} : { explanation }),
    domain: canonicalName(domain),
    lookups,
    voidLookups,
  };
}

async function checkHost(session: Session, domain: string): Promise<Verdict> {
  const policy = await lookupPolicy(session.dns, domain);
  if (policy.status === 'unavailable') return failure('temperror', 'unavailable', domain);
  if (policy.status === 'multiple') return failure('permerror', 'multiple-records', domain);
  if (policy.status === 'absent') return { result: 'none' };
  const { mechanisms, redirect, exp, problems } = policy.record;
  const [problem] = problems;
  if (problem !== undefined) return failure('permerror', 'syntax', domain, problem.text);
  for (const mechanism of mechanisms) {
    const match = await matches(session, domain, mechanism);
    if (typeof match !== 'boolean') return match;
    if (!match) continue;
    return {
      result: QUALIFIER_RESULTS[mechanism.qualifier],
      matched: { domain, term: mechanism.text },
      ...(exp === undefined ? {} : { exp: { domain, modifier: exp } }),
    };
  }
  return redirect === undefined ? { result: 'neutral' } : checkOther(session, domain, redirect);
}

/** The verdict of the record that `include` or `redirect` names, which must exist (RFC 7208 sections 5.2 and 6.1). */
async function checkOther(session: Session, domain: string, term: Include | NamedModifier): Promise<Verdict> {
  if (!spend(session, lookupCost(term))) return failure('permerror', 'lookup-limit', domain, term.text);
  const target = await targetOf(session, domain, term.domain);
  const verdict: Verdict = target === undefined ? { result: 'none' } : await checkHost(session, target);
  return verdict.result === 'none' ? failure('permerror', 'no-record', domain, term.text) : verdict;
}

async function matches(session: Session, domain: string, mechanism: Mechanism): Promise<boolean | Failure> {
  if (mechanism.kind === 'include') {
    const verdict = await checkOther(session, domain, mechanism);
    return isFailure(verdict) ? verdict : verdict.result === 'pass';
  }
  const fail = (result: Failure['result'], kind: SpfProblemKind) =>
    failure(result, kind, domain, mechanism.text);
  if (!spend(session, lookupCost(mechanism))) return fail('permerror', 'lookup-limit');
  const spec = 'domain' in mechanism ? mechanism.domain : undefined;
  const target = spec === undefined ? domain : await targetOf(session, domain, spec);
  if (target === undefined) return false;
  const { client } = session.message;
  if (mechanism.kind === 'ptr') {
    const { status, validated } = await reverseNames(session);
    if (status === 'absent') session.voidLookups += 1;
    if (session.voidLookups > MAX_VOID_LOOKUPS) return fail('permerror', 'void-lookup-limit');
    return validated.some((name) => isWithin(name, canonicalName(target)));
  }
  const { own, hosts, tooManyNames } = await designate(session.dns, mechanism, target, [client.family]);
  for (const { status } of own) {
    if (status === 'unavailable') return fail('temperror', 'unavailable');
    if (status === 'absent') session.voidLookups += 1;
  }
  if (session.voidLookups > MAX_VOID_LOOKUPS) return fail('permerror', 'void-lookup-limit');
  if (tooManyNames !== undefined) return fail('permerror', 'mx-limit');
  for (const { status, networks } of hosts) {
    if (status === 'unavailable') return fail('temperror', 'unavailable');
    if (networks.some((network) => contains(network, client))) return true;
  }
  return false;
}

/** Spends lookups. False if the limit is exceeded. */
function spend(session: Session, lookups: number): boolean {
  session.lookups += lookups;
  return session.lookups <= MAX_LOOKUPS;
}

async function targetOf(session: Session, domain: string, spec: MacroString): Promise<string | undefined> {
  return targetName(spec, await valuesAt(session, domain, spec));
}

async function valuesAt(session: Session, domain: string, text: MacroString) {
  const name = macroLetters(text).has('p') ? await validatedName(session, domain) : 'unknown';
  return (letter: MacroLetter) => macroValue(letter, domain, session.message, name);
}

/** `%{p}`: the client name that equals the domain, else one below it, else any (RFC 7208 section 7.3). */
async function validatedName(session: Session, domain: string): Promise<string> {
  const { validated } = await reverseNames(session);
  const own = canonicalName(domain);
  const below = validated.find((name) => isWithin(name, own));
  return validated.includes(own) ? own : (below ?? validated[0] ?? 'unknown');
}

function reverseNames(session: Session): Promise<ReverseNames> {
  session.reverse ??= lookupReverse(session.dns, session.message.client);
  return session.reverse;
}

/** Failed lookups only leave out names (RFC 7208 section 5.5). */
async function lookupReverse(dns: Dns, client: IpAddress): Promise<ReverseNames> {
  const answer = await dns.lookup(reverseName(client), 'PTR');
  const { status } = answer;
  if (answer.status !== 'found') return { status, validated: [] };
  const names = answer.records.slice(0, MAX_PTR_NAMES).map(canonicalName).filter(isLookupName);
  const leading = await Promise.all(names.map((name) => leadsTo(dns, name, client)));
  return { status, validated: names.filter((_, index) => leading[index]) };
}

async function leadsTo(dns: Dns, name: string, client: IpAddress): Promise<boolean> {
  const answer = await dns.lookup(name, client.family === 4 ? 'A' : 'AAAA');
  return answer.status === 'found' && answer.records.some((text) => parseIp(text)?.value === client.value);
}

/** The explanation; undefined if anything about it is invalid (RFC 7208 section 6.2). */
async function explain(session: Session, domain: string, exp: NamedModifier): Promise<string | undefined> {
  const target = await targetOf(session, domain, exp.domain);
  if (target === undefined) return undefined;
  const answer = await session.dns.lookup(canonicalName(target), 'TXT');
  if (answer.status !== 'found' || answer.records.length > 1) return undefined;
  const parsed = parseMacroString(answer.records[0] ?? '', 'explanation');
  if (!parsed.ok) return undefined;
  return expandMacros(parsed.value, await valuesAt(session, domain, parsed.value)).slice(0, MAX_EXPLANATION);
}

function failure(result: Failure['result'], kind: SpfProblemKind, domain: string, term?: string): Failure {
  return { result, problem: { kind, domain, ...(term === undefined ? {} : { term }) } };
}

function isFailure(verdict: Verdict): verdict is Failure {
  return verdict.result === 'permerror' || verdict.result === 'temperror';
}

/** The name without trailing dot, with U-labels converted to A-labels (RFC 7208 section 4.3). */
function asciiName(name: string): string {
  const rooted = name.endsWith('.') ? name.slice(0, -1) : name;
  return /^\p{ASCII}*$/u.test(rooted) ? rooted : domainToASCII(rooted);
}
