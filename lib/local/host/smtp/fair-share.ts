/** A limit that clients share, so that no client can use it up. */

/** An object that holds a part of a limit for a client. */
export interface Holder {
  /** The client that the part counts for. */
  readonly client: string;
  /** Whether the part cannot be taken away at the moment. */
  readonly isPinned: boolean;
  /** Stops using the part. Another holder receives it. */
  giveUp(): void;
}

/**
 * A limit that clients share. If a request exceeds the limit, the client that holds the most (including the requested
 * amount) loses its oldest part. The request is denied if that part belongs to the requesting holder, or if that client
 * has no part to lose.
 *
 * So while nothing is pinned, a client that holds no more than `limit / clients` loses nothing, and can get up to that
 * amount whatever the other clients do.
 */
export class FairShare {
  readonly #limit: number;
  /** Oldest first. */
  readonly #held = new Map<Holder, number>();
  #used = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Gives `amount` more to `holder`. Returns false if the request is denied. */
  take(holder: Holder, amount: number): boolean {
    while (this.#used + amount > this.#limit) {
      const loser = this.#loser(holder, amount);
      if (loser === undefined || loser === holder) return false;
      this.release(loser);
      loser.giveUp();
    }
    this.#used += amount;
    this.#held.set(holder, (this.#held.get(holder) ?? 0) + amount);
    return true;
  }

  /** Releases everything that `holder` has. */
  release(holder: Holder): void {
    this.#used -= this.#held.get(holder) ?? 0;
    this.#held.delete(holder);
  }

  has(holder: Holder): boolean {
    return this.#held.has(holder);
  }

  #loser(requester: Holder, amount: number): Holder | undefined {
    const totals = new Map([[requester.client, amount]]);
    for (const [{ client }, held] of this.#held) totals.set(client, (totals.get(client) ?? 0) + held);
    const totalOf = ({ client }: Holder) => totals.get(client) ?? 0;
    let loser: Holder | undefined;
    let most = totalOf(requester);
    for (const holder of this.#held.keys()) {
      const total = totalOf(holder);
      if (holder.isPinned || total < most || (loser !== undefined && total === most)) continue;
      loser = holder;
      most = total;
    }
    return loser;
  }
}
