import { domainPath } from '../../api/common.ts';
import { simulationBody } from '../../api/enforcement.ts';
import type { ErrorDetail } from '../../api/error-table.ts';
import type { SimulationDependencies } from '../../enforcement/dependencies.ts';
import type { Simulation } from '../../enforcement/shapes.ts';
import { simulateRecords as simulate } from '../../enforcement/simulate-records.ts';
import { type DomainDependencies, onDomain } from '../domains/on-domain.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import { invalid, Refused } from '../outcome.ts';
import { daysOf } from '../reports/days.ts';

export const operation = {
  name: 'simulateRecords',
  summary:
    'Replay proposed DMARC and SPF records against stored reports; default: last 30 days, maximum: 366 days',
  scope: 'read',
  on: domainPath,
  input: simulationBody,
  refusals: ['invalid_request', 'not_found'],
  uses: ['organizations:read', 'domain-data:read', 'dns'],
} as const satisfies Operation;

export const simulateRecords = (
  caller: CallerOf<typeof operation>,
  { id, ...proposed }: InputOf<typeof operation>,
  { domains, ...deps }: DomainDependencies & SimulationDependencies,
): Promise<OutcomeOf<typeof operation, Simulation>> =>
  onDomain(caller, id, { domains }, async (domain) => {
    const days = daysOf(proposed, deps.clock.now());
    if (days instanceof Refused) return days;
    const result = await simulate(domain, { proposed, days }, deps);
    if ('simulation' in result) return { value: result.simulation };
    const [first, ...others] = result.problems.map(
      ({ record, message }): ErrorDetail => ({ path: record, message }),
    );
    return invalid(first ?? { path: '', message: 'must contain valid records' }, ...others);
  });
