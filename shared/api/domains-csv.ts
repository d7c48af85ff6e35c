import { checkNames } from '../checks/state.ts';
import { gradeOf } from '../score/score.ts';
import type { Domain } from '../store/domains/domain.ts';
import { csv } from './csv.ts';

/** A list of domains as CSV: what is known without their reports. */
export function domainsCsv(domains: readonly Domain[]): Iterable<string> {
  const columns = ['domain', 'usageType', 'tags', 'verified', 'grade', 'score', ...checkNames];
  return csv(
    [...columns, 'lastCheckedAt', 'createdAt', 'id'],
    domains.map(({ id, domain, usageType, tags, verified, scores, states, lastCheckedAt, createdAt }) => {
      const score = scores?.[usageType] ?? null;
      return [
        ...[domain, usageType, tags.join(', '), verified],
        ...[score === null ? null : gradeOf(score).grade, score],
        ...checkNames.map((name) => states?.[name] ?? null),
        ...[lastCheckedAt, createdAt, id],
      ];
    }),
  );
}
