import { missing } from '../../api/common.ts';
import { readChanges } from '../../checks/preview/proposal.ts';
import type { Change } from '../../fixes/plan.ts';
import { type PreviewDependencies, type Previewed, previewDomain } from '../checks/preview-checks.ts';
import { onDomain } from '../domains/on-domain.ts';
import type { Caller } from '../operation.ts';
import { type Outcome, Refused } from '../outcome.ts';
import { type PlanDependencies, planOf } from './plan-fixes.ts';

interface PreviewedFix extends Previewed {
  readonly change: Change;
}

/** Runs all checks of a domain as it is and with a recommended change, by its ID; a form of the operation `previewChecks`. */
export const previewFix = (
  caller: Caller,
  { id, change: wanted }: { readonly id: string; readonly change: string },
  { domains, ...deps }: PreviewDependencies & PlanDependencies,
): Promise<Outcome<PreviewedFix>> =>
  onDomain(caller, id, { domains }, async (domain) => {
    const plan = await planOf(domain, deps, deps.clock.now());
    // The plan of a new check run can have other changes than the page that the form was on.
    const change = plan.changes.find((one) => one.id === wanted);
    const read = change && readChanges([change], domain.domain);
    if (change === undefined || !read?.ok) return new Refused('not_found', missing.change);
    const previewed = await previewDomain(domain, () => read, deps);
    if (!(previewed instanceof Refused)) return { value: { ...previewed.value, change } };
    // It would conflict with other records by now.
    return previewed.code === 'invalid_request' ? new Refused('not_found', missing.change) : previewed;
  });
