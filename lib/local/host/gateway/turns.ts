/**
 * Limits the requests in progress. Requests with credentials, tools and other pages have places of their own, so that many of one
 * kind don't keep the others waiting, and clients take turns.
 */
import { fairQueue, groupCounts } from '../../../../shared/network/fair-queue.ts';

export type RequestKind = 'signed-in' | 'tool' | 'page';

interface TurnLimit {
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
type InTurn = <T>(kind: RequestKind, client: string, work: Work<T>) => Promise<T> | undefined;

export function requestTurns(limits: Readonly<Record<RequestKind, TurnLimit>> = TURN_LIMITS): InTurn {
  const lanes = {
    'signed-in': lane(limits['signed-in']),
    tool: lane(limits.tool),
    page: lane(limits.page),
  };
  return (kind, client, work) => lanes[kind](client, work);
}

function lane({ places, perClient, waiting }: TurnLimit) {
  const queue = fairQueue<() => void>();
  const running = groupCounts();
  let total = 0;

  return <T>(client: string, work: Work<T>): Promise<T> | undefined => {
    if (queue.waiting(client) >= waiting) return undefined;
    return new Promise<T>((resolve, reject) => {
      queue.add(client, () => run(client, work).then(resolve, reject));
      startNext();
    });
  };

  function startNext(): void {
    while (total < places) {
      const start = queue.take((client) => running.of(client) < perClient);
      if (start === undefined) return;
      start();
    }
  }

  async function run<T>(client: string, work: Work<T>): Promise<T> {
    total += 1;
    running.change(client, 1);
    try {
      return await work();
    } finally {
      total -= 1;
      running.change(client, -1);
      startNext();
    }
  }
}
