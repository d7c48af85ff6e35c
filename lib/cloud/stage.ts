/** The properties of a stage: what is kept, and the names of its stacks. */
import { RemovalPolicy, type StackProps } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Settings } from './settings.ts';

interface Keeping {
  /** Whether data can be restored to any second of the last 35 days, and is protected against deletion. */
  readonly protectData: boolean;
  readonly removalPolicy: RemovalPolicy;
  readonly logRetention: RetentionDays;
}

export const keeping: Readonly<Record<Settings['stage'], Keeping>> = {
  dev: { protectData: false, removalPolicy: RemovalPolicy.DESTROY, logRetention: RetentionDays.ONE_WEEK },
  prod: { protectData: true, removalPolicy: RemovalPolicy.RETAIN, logRetention: RetentionDays.SIX_MONTHS },
};

export const stackName = ({ stage }: Pick<Settings, 'stage'>, part: string): string =>
  `domain-monitor-${stage}-${part}`;

/** The common properties of the stacks. In prod, they have termination protection. */
export function stackProps({ stage, region }: Settings, description: string): StackProps {
  return {
    description: `Email domain security monitor (${stage}): ${description}`,
    terminationProtection: keeping[stage].protectData,
    tags: { service: 'email-domain-security-monitor', stage },
    ...(region === undefined ? {} : { env: { region } }),
  };
}
