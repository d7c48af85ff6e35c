/** The schemas of compliance, which the API shows as it is evaluated. */
import * as z from 'zod/mini';
import { count, described, list, oneOf, text } from '../protocol/schema.ts';

export const requirementStatus = described(
  z.enum(['fulfilled', 'violated', 'unknown', 'not-applicable', 'not-testable']),
  '`unknown`: lookups failed, or no checks have run. `not-applicable`: does not concern this domain. `not-testable`: no check can decide it',
);

export type RequirementStatus = z.infer<typeof requirementStatus>;

export const complianceStatuses = ['violated', 'unknown', 'fulfilled', 'not-applicable'] as const;

export const complianceStatus = described(
  oneOf(complianceStatuses),
  'What holds for the mandatory requirements that checks can decide and that concern the domain; if there are none, for all of these. It says nothing about requirements that are `not-testable`',
);

export type ComplianceStatus = z.infer<typeof complianceStatus>;

export const level = described(
  z.enum(['must', 'should'], 'must be must or should'),
  '`must`: required. `should`: recommended',
);

/** What `must` and `should` mean is up to the source: RFC 2119, or whether it requires or recommends. */
export type Level = z.infer<typeof level>;

export const coverage = described(
  z.enum(['text', 'interpretation', 'not covered']),
  '`text`: the findings decide what the source says. `interpretation`: they decide what can be seen of it from outside. `not covered`: nothing decides it',
);

/** How the rules of a requirement relate to it; the text of an interpretation says how it was understood. */
export type Coverage = z.infer<typeof coverage>;

export const requirementCause = z.object({
  id: described(text, 'Stable ID of the rule or fact', 'dmarc-below-reject'),
  subject: described(z.exactOptional(text), 'What it is about, such as a host or a selector'),
  message: described(
    text,
    'What is wrong, in one sentence',
    'The DMARC policy that applies is weaker than reject.',
  ),
});

export type RequirementCause = Readonly<z.infer<typeof requirementCause>>;

const number = (what: RequirementStatus, example: number) =>
  described(count, `Number of requirements that are \`${what}\``, example);

/** How many requirements there are of each status. */
export const requirementCounts = z.object({
  fulfilled: number('fulfilled', 6),
  violated: number('violated', 1),
  unknown: number('unknown', 0),
  notApplicable: number('not-applicable', 4),
  notTestable: number('not-testable', 9),
});

export type RequirementCounts = Readonly<z.infer<typeof requirementCounts>>;

/** @param judged With their statuses. */
export function countsOf(judged: readonly { readonly status: RequirementStatus }[]): RequirementCounts {
  const of = (wanted: RequirementStatus) => judged.filter(({ status }) => status === wanted).length;
  return {
    fulfilled: of('fulfilled'),
    violated: of('violated'),
    unknown: of('unknown'),
    notApplicable: of('not-applicable'),
    notTestable: of('not-testable'),
  };
}

export const causes = list(requirementCause);
