/** The remaining budget of one expansion, and a Dns that spends it. */
import type { Answer, Dns, RecordData, RecordType } from '../dns.ts';
import type { ExpansionLimits } from './limits.ts';

export interface Budget {
  /** Spends `amount`. False if the limit is exceeded; it is then in `exceeded` for good. */
  spend(limit: Exclude<keyof ExpansionLimits, 'milliseconds'>, amount: number): boolean;
  /** Whether new lookups may start. */
  inTime(): boolean;
  readonly exceeded: ReadonlySet<keyof ExpansionLimits>;
}

/** `now` is a clock in milliseconds with any starting point. */
export function createBudget(limits: ExpansionLimits, now: () => number): Budget {
  const spent = { records: 0, terms: 0, questions: 0, octets: 0 };
  const exceeded = new Set<keyof ExpansionLimits>();
  const end = now() + limits.milliseconds;
  return {
    exceeded,
    spend(limit, amount) {
      if (spent[limit] + amount > limits[limit]) exceeded.add(limit);
      else spent[limit] += amount;
      return !exceeded.has(limit);
    },
    inTime() {
      if (now() > end) exceeded.add('milliseconds');
      return !exceeded.has('milliseconds');
    },
  };
}

/** A Dns that makes each lookup once, while the budget lasts. Lookups beyond the budget are `unavailable`. */
export function withBudget(dns: Dns, budget: Budget): Dns {
  const queried = new Map<string, Promise<unknown>>();

  async function lookUp<T extends RecordType>(name: string, type: T): Promise<Answer<RecordData[T]>> {
    const refused = { status: 'unavailable', reason: 'deadline', evidence: { milliseconds: 0 } } as const;
    if (!budget.inTime() || !budget.spend('questions', 1)) return refused;
    const answer = await dns.lookup(name, type);
    if (answer.status !== 'found') return answer;
    return budget.spend('octets', JSON.stringify(answer.records).length) ? answer : refused;
  }

  return {
    lookup<T extends RecordType>(name: string, type: T) {
      const question = `${name} ${type}`;
      const answer =
        (queried.get(question) as Promise<Answer<RecordData[T]>> | undefined) ?? lookUp(name, type);
      queried.set(question, answer);
      return answer;
    },
  };
}
