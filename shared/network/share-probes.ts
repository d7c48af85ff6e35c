/**
 * Shares probes of MX hosts that serve many domains. What a host reports about itself (TLS, certificate) is
 * the same for all domains and is cached for a short time. Whether it accepts a mailbox depends on the domain and is
 * always probed.
 */
import { createHash } from 'node:crypto';
import type { Clock, Smtp, SmtpAnswer, SmtpProbeRequest } from './ports.ts';
import { semaphore } from './semaphore.ts';

interface ShareLimits {
  /** How long a host's facts are cached. */
  readonly seconds: number;
  /** The number of cached hosts; the oldest are evicted. A certificate chain takes a few kilobytes. */
  readonly entries: number;
  /** Concurrent connections to one address; hosts defer clients that open many. */
  readonly connections: number;
}

export const SHARE_LIMITS: ShareLimits = { seconds: 300, entries: 500, connections: 5 };

interface Kept {
  readonly answer: SmtpAnswer;
  readonly until: number;
}

/**
 * Shares the probes of `smtp` by host and address. A probe without a recipient uses a cached answer or waits for one in
 * progress. A probe with a recipient always dials, and refreshes the cache. Only definite answers are cached, and
 * cached answers are marked in their evidence.
 */
export function shareProbes(smtp: Smtp, clock: Clock, limits: ShareLimits = SHARE_LIMITS): Smtp {
  const kept = new Map<string, Kept>();
  /** By host and address, then by recipient; the empty string means no recipient. */
  const underWay = new Map<string, Map<string, Promise<SmtpAnswer>>>();
  const turns = new Map<string, { readonly turn: ReturnType<typeof semaphore>; users: number }>();

  function recall(key: string): SmtpAnswer | undefined {
    const entry = kept.get(key);
    if (entry === undefined) return undefined;
    const left = entry.until - clock.now().getTime();
    // If the clock was set back, the facts are of unknown age.
    if (left > 0 && left <= limits.seconds * 1000) return entry.answer;
    kept.delete(key);
    return undefined;
  }

  function keep(key: string, answer: SmtpAnswer): void {
    if (answer.status === 'unavailable') return;
    const { evidence, ...facts } = hostFacts(answer);
    const marked = { ...facts, evidence: { ...evidence, fromCache: true } } as SmtpAnswer;
    kept.delete(key);
    kept.set(key, { answer: marked, until: clock.now().getTime() + limits.seconds * 1000 });
    for (const oldest of kept.keys()) {
      if (kept.size <= limits.entries) break;
      kept.delete(oldest);
    }
  }

  async function dial(request: SmtpProbeRequest): Promise<SmtpAnswer> {
    const { hostname, address, timeoutMilliseconds } = request;
    const started = performance.now();
    const at = turns.get(address) ?? { turn: semaphore(limits.connections), users: 0 };
    turns.set(address, at);
    at.users += 1;
    try {
      return await at.turn(async () => {
        const waited = Math.round(performance.now() - started);
        // The caller timed out, so do not dial the host.
        if (waited >= timeoutMilliseconds) {
          const detail = 'the host was busy with our other questions';
          const evidence = { hostname, address, milliseconds: waited };
          return { status: 'unavailable', reason: 'deadline', detail, evidence };
        }
        return smtp.probe({ ...request, timeoutMilliseconds: timeoutMilliseconds - waited });
      });
    } finally {
      at.users -= 1;
      if (at.users === 0) turns.delete(address);
    }
  }

  async function visit(key: string, request: SmtpProbeRequest): Promise<SmtpAnswer> {
    const answer = await dial(request);
    keep(key, answer);
    return answer;
  }

  return {
    async probe(request) {
      const { recipient = '' } = request;
      const key = hostKey(request);
      const calls = underWay.get(key) ?? new Map<string, Promise<SmtpAnswer>>();
      const same = calls.get(recipient);
      if (same !== undefined) return (await allowed(same)) ?? visit(key, request);
      if (recipient === '') {
        const known = recall(key);
        if (known !== undefined) return known;
        const [other] = calls.values();
        if (other !== undefined) {
          const answer = await allowed(other);
          return answer === undefined ? visit(key, request) : hostFacts(answer);
        }
      }
      const call = visit(key, request).finally(() => {
        calls.delete(recipient);
        if (calls.size === 0 && underWay.get(key) === calls) underWay.delete(key);
      });
      calls.set(recipient, call);
      underWay.set(key, calls);
      return call;
    },
  };
}

/** What the facts of a host depend on: its address, the name that it is asked for, and whom the probe trusts. */
export function hostKey({ address, hostname, trustAnchors = [] }: SmtpProbeRequest): string {
  const digest = trustAnchors.reduce((hash, der) => hash.update(der), createHash('sha256')).digest('base64');
  return `${address} ${hostname} ${digest}`;
}

/** The answer to another check run; undefined if that run may open no more connections, which says nothing about this one. */
async function allowed(call: Promise<SmtpAnswer>): Promise<SmtpAnswer | undefined> {
  const answer = await call;
  return answer.status === 'unavailable' && answer.reason === 'connection-limit' ? undefined : answer;
}

/** The answer without the result for the recipient, whose reply may contain another domain's mailbox. */
function hostFacts(answer: SmtpAnswer): SmtpAnswer {
  if (answer.status !== 'found' || answer.recipient === 'not-asked') return answer;
  const { reply: _, ...evidence } = answer.evidence;
  return { ...answer, recipient: 'not-asked', evidence };
}
