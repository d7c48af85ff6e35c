/** Which resources that carry state or an address, or that watch the service, a deployment would remove. */
import { lastingTypes } from '../../cloud/lasting.ts';
import type { Template } from './account.ts';

/** Losing an alarm loses nothing that is stored, but nobody would notice. */
const guarded: Readonly<Record<string, string>> = { ...lastingTypes, 'AWS::CloudWatch::Alarm': 'the alarm' };

/** Properties that CloudFormation cannot change: it makes another resource, and removes the one before. */
const fixed: Readonly<Record<string, readonly string[]>> = {
  'AWS::ApiGatewayV2::ApiMapping': ['DomainName'],
  'AWS::ApiGatewayV2::DomainName': ['DomainName'],
  'AWS::SES::EmailIdentity': ['EmailIdentity'],
  'AWS::SNS::Subscription': ['Endpoint', 'Protocol', 'TopicArn'],
};

interface Removal {
  readonly id: string;
  readonly type: string;
  /** What is lost with it. */
  readonly lost: string;
}

/** @param after Undefined if the stack is no longer deployed; it then stays as it is. */
export function removals(before: Template, after: Template | undefined): readonly Removal[] {
  if (after === undefined) return [];
  return Object.entries(before.Resources).flatMap(([id, { Type: type, Properties }]) => {
    const lost = guarded[type];
    const now = after.Resources[id];
    if (lost === undefined) return [];
    const isChanged = (name: string) =>
      JSON.stringify(Properties[name]) !== JSON.stringify(now?.Properties[name]);
    const isKept = now?.Type === type && !(fixed[type] ?? []).some(isChanged);
    return isKept ? [] : [{ id, type, lost }];
  });
}
