/** How fields of forms are read, and what is wrong with them, for people. */
import { eachField } from '../../api/domain-fields.ts';
import type { ErrorDetail } from '../../api/error-table.ts';

interface Problems {
  readonly message: string;
  readonly problems?: readonly ErrorDetail[] | undefined;
}

/**
 * The first problem as a sentence.
 * @param names What the form calls its fields, by the last part of their path that has a name.
 */
export function problemOf(
  { message, problems = [] }: Problems,
  names: Readonly<Record<string, string>>,
): string {
  const [first] = problems;
  if (first === undefined) return message;
  const field = first.path.split('.').findLast((part) => Object.hasOwn(names, part)) ?? '';
  return `${names[field] ?? 'The form'} ${first.message.replace(/^it /, '')}.`;
}

/** The fields that all domains of a form have in common, as typed. */
interface CommonFields {
  readonly usageType: string;
  readonly testEmailLocalPart: string;
  readonly tags: string;
}

/** What a request of the API would contain in place of a form. */
export const readCommonFields = (typed: CommonFields): Record<string, unknown> => {
  const texts: Readonly<Record<string, string>> = { ...typed };
  return eachField(({ form }, name) => form?.read(texts[name] ?? ''));
};

/** What the forms call their fields. */
export const fieldNames: Readonly<Record<string, string>> = {
  domain: 'The domain',
  ...eachField(({ form }) => form?.name),
};
