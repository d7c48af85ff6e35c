import { complianceSettingsBody } from '../../api/compliance.ts';
import { firstUnknownRule, profileFor } from '../../compliance/own-profile.ts';
import type { ComplianceSettings, ComplianceSettingsStore } from '../../store/compliance-settings.ts';
import { untilUncontended } from '../../store/contention.ts';
import { changesBetween } from '../changes.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import { invalid, Refused } from '../outcome.ts';

export const operation = {
  name: 'changeCompliance',
  summary: 'Set which compliance profiles the organization follows, and its own profiles',
  description:
    'A profile that is followed opens an attention item when a domain that fulfilled one of its requirements violates it. What is violated already opens none. Statuses in lists follow with the next check run of each domain.',
  scope: 'write',
  input: complianceSettingsBody,
  refusals: ['invalid_request', 'precondition_failed'],
  uses: ['organizations:write'],
} as const satisfies Operation;

/** The version of the settings, which every change replaces. */
export const complianceVersionOf = ({ revision }: Pick<ComplianceSettings, 'revision'>): string =>
  String(revision);

/** What is not given stays as it is. */
export async function changeCompliance(
  { organization, isCurrent }: CallerOf<typeof operation>,
  { follows, own }: InputOf<typeof operation>,
  { compliance }: { readonly compliance: Pick<ComplianceSettingsStore, 'get' | 'save'> },
): Promise<OutcomeOf<typeof operation, ComplianceSettings>> {
  return untilUncontended(async () => {
    const before = await compliance.get(organization);
    if (!isCurrent(complianceVersionOf(before))) return new Refused('precondition_failed');
    const wrong = firstUnknownRule(own ?? [], before.own);
    if (wrong !== undefined) return invalid(wrong);
    const after = {
      follows: [...new Set(follows ?? before.follows)],
      own: own ?? before.own,
      revision: before.revision + 1,
    };
    const [unknown] = after.follows.filter((id) => profileFor(id, after.own) === undefined);
    if (unknown !== undefined)
      return invalid({
        path: follows === undefined ? 'own' : 'follows',
        message:
          follows === undefined
            ? `must keep ${unknown}, which is followed, or follows must leave it out`
            : `has ${unknown}, which is no profile`,
      });
    if (!(await compliance.save(organization, after, before))) return undefined;
    return {
      value: after,
      version: complianceVersionOf(after),
      subjects: [{ id: null, changes: changesBetween(shown(before), shown(after)) }],
    };
  });
}

/** As the audit log shows them: a field per requirement, which is small enough to be read. */
const shown = ({ follows, own }: Pick<ComplianceSettings, 'follows' | 'own'>) => ({
  follows: follows.toSorted(),
  own: Object.fromEntries(
    own.map(({ id, requirements, ...rest }) => {
      const each = requirements.map(({ id: name, ...said }) => [name, JSON.stringify(said)] as const);
      return [id, { ...rest, requirements: Object.fromEntries(each) }];
    }),
  ),
});
