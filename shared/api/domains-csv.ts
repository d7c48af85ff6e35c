import { checkNames } from '../checks/state.ts';
import { gradeOf } from '../score/score.ts';
import type { Domain } from '../store/domains/domain.ts';
import { csv } from './csv.ts';
import { eachField } from './domain-fields.ts';

/** A list of domains as CSV: what is known without their reports. */
export function domainsCsv(domains: readonly Domain[]): Iterable<string> {
  const owned = eachField(({ csv: cell }) => cell);
  const columns = ['domain', ...Object.keys(owned), 'verified', 'grade', 'score', ...checkNames];
  return csv(
    [...columns, 'lastCheckedAt', 'createdAt', 'id'],
    domains.map((one) => {
      const { id, domain, usageType, verified, scores, states, lastCheckedAt, createdAt } = one;
      const score = scores?.[usageType] ?? null;
      return [
        ...[domain, ...Object.values(owned).map((cell) => cell(one)), verified],
        ...[score === null ? null : gradeOf(score).grade, score],
        ...checkNames.map((name) => states?.[name] ?? null),
        ...[lastCheckedAt, createdAt, id],
      ];
    }),
  );
}
