/**
 * Politeness towards MX hosts that many domains have in common. What a host says of itself (greeting, TLS,
 * certificate) is the same for all of them, and is kept for a short time; whether it takes a mailbox is each domain's
 * own question, and is always asked.
 */
import type { Clock, Smtp, SmtpAnswer, SmtpProbeRequest } from './ports.ts';
import { turnstile } from './turnstile.ts';

export interface ShareLimits {
  /** How long what a host says of itself is kept. */
  readonly seconds: number;
  /** Hosts kept; the oldest go first. A chain of certificates takes some kilobytes. */
  readonly entries: number;
  /** Connections to one address at once; hosts put clients off that open many. */
  readonly connections: number;
}

export const SHARE_LIMITS: ShareLimits = { seconds: 300, entries: 500, connections: 5 };

interface Kept {
  readonly answer: SmtpAnswer;
  readonly until: number;
}

/**
 * Shares the probes of `smtp` by host and address: those without a recipient take what any probe found out in the
 * last minutes, or what one under way is about to; those with one always dial, and refresh what is kept. Only
 * definite answers are kept. An answer that was kept says so in its evidence.
 */
export function shareProbes(smtp: Smtp, clock: Clock, limits: ShareLimits = SHARE_LIMITS): Smtp {
  const kept = new Map<string, Kept>();
  /** By host and address, then by recipient; the empty string is no recipient. */
  const underWay = new Map<string, Map<string, Promise<SmtpAnswer>>>();
  const turns = new Map<string, { readonly turn: ReturnType<typeof turnstile>; users: number }>();

  function recall(key: string): SmtpAnswer | undefined {
    const entry = kept.get(key);
    if (entry === undefined) return undefined;
    if (entry.until > clock.now().getTime()) return entry.answer;
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
    const asked = performance.now();
    const at = turns.get(address) ?? { turn: turnstile(limits.connections), users: 0 };
    turns.set(address, at);
    at.users += 1;
    try {
      return await at.turn(async () => {
        const waited = Math.round(performance.now() - asked);
        // Nobody waits for the answer any more, so the host need not be bothered.
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

  return {
    async probe(request) {
      const { hostname, address, recipient = '' } = request;
      const key = `${address} ${hostname}`;
      const calls = underWay.get(key) ?? new Map<string, Promise<SmtpAnswer>>();
      const same = calls.get(recipient);
      if (same !== undefined) return same;
      if (recipient === '') {
        const known = recall(key);
        if (known !== undefined) return known;
        const [other] = calls.values();
        if (other !== undefined) return hostFacts(await other);
      }
      const call = dial(request)
        .then((answer) => {
          keep(key, answer);
          return answer;
        })
        .finally(() => {
          calls.delete(recipient);
          if (calls.size === 0 && underWay.get(key) === calls) underWay.delete(key);
        });
      calls.set(recipient, call);
      underWay.set(key, calls);
      return call;
    },
  };
}

/** The answer without the dialogue about a mailbox, whose reply may name somebody else's. */
function hostFacts(answer: SmtpAnswer): SmtpAnswer {
  if (answer.status !== 'found' || answer.recipient === 'not-asked') return answer;
  const { reply: _, ...evidence } = answer.evidence;
  return { ...answer, recipient: 'not-asked', evidence };
}
