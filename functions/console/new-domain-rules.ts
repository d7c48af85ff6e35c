/** Forms with new domains. */
import { separated } from './form-rules.ts';

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

/** What the forms call their fields. */
export const domainFields: Readonly<Record<string, string>> = {
  domain: 'The domain',
  usageType: 'The usage',
  testEmailLocalPart: 'The mailbox',
  tags: 'Each tag',
};
