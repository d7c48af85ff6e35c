/**
 * Limits the requests in progress. Requests with credentials, tools and other pages have places of their own, so that many of one
 * kind don't keep the others waiting, and clients take turns.
 */

export type RequestKind = 'signed-in' | 'tool' | 'page';

export interface TurnLimit {
  /** Requests in progress, of all clients and of one. */
  readonly places: number;
  readonly perClient: number;
  /** Requests of one client that wait; more are refused. */
  readonly waiting: number;
}

export const TURN_LIMITS: Readonly<Record<RequestKind, TurnLimit>> = {
  'signed-in': { places: 64, perClient: 32, waiting: 1000 },
  // They wait for DNS and mail servers in a thread of their own.
  tool: { places: 120, perClient: 12, waiting: 60 },
  // They compute, which happens one after the other anyway: more at once would only delay requests with credentials.
  page: { places: 4, perClient: 2, waiting: 100 },
};

type Work<T> = () => Promise<T>;

/** Runs work in turn; undefined if too many requests of the client wait. */
export type InTurn = <T>(kind: RequestKind, client: string, work: Work<T>) => Promise<T> | undefined;

export function requestTurns(limits: Readonly<Record<RequestKind, TurnLimit>> = TURN_LIMITS): InTurn {
  const lanes = {
    'signed-in': lane(limits['signed-in']),
    tool: lane(limits.tool),
    page: lane(limits.page),
  };
  return (kind, client, work) => lanes[kind](client, work);
}

function lane({ places, perClient, waiting: maxWaiting }: TurnLimit) {
  /** By client, in the order in which the clients take turns. */
  const waiting = new Map<string, (() => void)[]>();
  const running = new Map<string, number>();
  let total = 0;

  return <T>(client: string, work: Work<T>): Promise<T> | undefined => {
    const own = waiting.get(client) ?? [];
    if (own.length >= maxWaiting) return undefined;
    return new Promise<T>((resolve, reject) => {
      waiting.set(client, [...own, () => run(client, work).then(resolve, reject)]);
      startNext();
    });
  };

  function startNext(): void {
    for (const [client, [start, ...others]] of waiting) {
      if (total >= places) return;
      if ((running.get(client) ?? 0) >= perClient) continue;
      // The client goes to the end of the line, where this loop finds it again.
      waiting.delete(client);
      if (others.length > 0) waiting.set(client, others);
      start?.();
    }
  }

  async function run<T>(client: string, work: Work<T>): Promise<T> {
    total += 1;
    running.set(client, (running.get(client) ?? 0) + 1);
    try {
      return await work();
    } finally {
      total -= 1;
      const left = (running.get(client) ?? 1) - 1;
      if (left === 0) running.delete(client);
      else running.set(client, left);
      startNext();
    }
  }
}
