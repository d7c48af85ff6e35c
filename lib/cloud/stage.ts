/** The properties of a stage: what is kept, and what its stacks have in common. */
import { DefaultStackSynthesizer, PermissionsBoundary, RemovalPolicy, type StackProps } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Settings } from './settings.ts';
import { type StackPart, stackName } from './stack-names.ts';

interface Keeping {
  readonly removalPolicy: RemovalPolicy;
  readonly logRetention: RetentionDays;
}

/** What is kept of a resource when it is removed. When its creation failed, nothing is kept, so that it can be repeated. */
export const keeping = ({ keepData }: Pick<Settings, 'keepData'>): Keeping =>
  keepData
    ? {
        removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
        logRetention: RetentionDays.SIX_MONTHS,
      }
    : { removalPolicy: RemovalPolicy.DESTROY, logRetention: RetentionDays.ONE_WEEK };

/** Whether a stack and its data are protected against deletion: from the deployment after the one that creates it. */
export const isProtected = (
  { stage, keepData, firstStacks }: Pick<Settings, 'stage' | 'keepData' | 'firstStacks'>,
  part: StackPart,
): boolean => keepData && !firstStacks.includes(stackName({ stage }, part));

/** The common properties of the stacks. */
export function stackProps(settings: Settings, part: StackPart, description: string): StackProps {
  const { stage, account, region, tags, permissionsBoundary, qualifier } = settings;
  return {
    // In a stage, the CDK would put its name before it.
    stackName: stackName({ stage }, part),
    description: `Email domain security monitor (${stage}): ${description}`,
    terminationProtection: isProtected(settings, part),
    tags: { service: 'email-domain-security-monitor', stage, ...tags },
    env: { ...(account && { account }), ...(region && { region }) },
    ...(permissionsBoundary && { permissionsBoundary: boundary(permissionsBoundary) }),
    ...(qualifier && { synthesizer: new DefaultStackSynthesizer({ qualifier }) }),
  };
}

const boundary = (policy: string): PermissionsBoundary =>
  policy.startsWith('arn:') ? PermissionsBoundary.fromArn(policy) : PermissionsBoundary.fromName(policy);
