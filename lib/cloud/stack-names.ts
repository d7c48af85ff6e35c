/** The stacks of a deployment, each with those that it needs before it. */
import type { Settings } from './settings.ts';

export const stackParts = [
  'data',
  'backup',
  'mail',
  'probes',
  'service',
  'endpoints',
  'routes',
  'alarms',
  'edge',
  'dns',
] as const;

export type StackPart = (typeof stackParts)[number];

/** The name of a stack, or of something else that a deployment has once. */
export const stackName = ({ stage }: Pick<Settings, 'stage'>, part: string): string =>
  `domain-monitor-${stage}-${part}`;
