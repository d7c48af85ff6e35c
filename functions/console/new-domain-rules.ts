/** Forms with new domains: what they contain, and what is wrong with it as a sentence. */
import type { ServiceError } from '../../shared/runtime/http/errors.ts';

/** The fields that all domains of a form have in common, as typed. */
interface CommonFields {
  readonly usageType: string;
  readonly testEmailLocalPart: string;
  readonly tags: string;
}

/** What a request of the API would contain in place of a form. */
export function readCommonFields({ usageType, testEmailLocalPart, tags }: CommonFields) {
  return {
    usageType,
    testEmailLocalPart: testEmailLocalPart === '' ? null : testEmailLocalPart,
    tags: separated(tags, ','),
  };
}

/** The parts of a text that are not empty. */
export function separated(text: string, separator: string | RegExp): string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

const fieldNames: Readonly<Record<string, string>> = {
  domain: 'The domain',
  usageType: 'The usage',
  testEmailLocalPart: 'The mailbox',
  tags: 'Each tag',
};

/** The first problem as a sentence. */
export function problemOf({ message, details }: ServiceError): string {
  const [first] = details ?? [];
  if (first === undefined) return message;
  const [, field = ''] = first.path.split('.');
  return `${fieldNames[field] ?? 'The form'} ${first.message}.`;
}
