/** The stacks of a deployment, each with those that it needs before it. */
import type { Settings } from './settings.ts';

export const stackParts = [
  'data',
  'backup',
  'mail-second',
  'mail',
  'probes',
  'service',
  'endpoints',
  'people',
  'routes',
  'alarms',
  'edge',
  'dns',
] as const;

export type StackPart = (typeof stackParts)[number];

/** The stacks that a deployment has only with some settings. */
const optional: Partial<Record<StackPart, (settings: Settings) => boolean>> = {
  backup: ({ backupCopyVaultArn }) => backupCopyVaultArn !== undefined,
  'mail-second': ({ secondMailRegion }) => secondMailRegion !== undefined,
  probes: ({ smtpProbe }) => smtpProbe,
  edge: ({ wafRequestsPer5Minutes }) => wafRequestsPer5Minutes > 0,
  dns: ({ hostedZones }) => hostedZones.length > 0,
};

/** Whether a deployment with these settings has the stack. */
export const hasStack = (settings: Settings, part: StackPart): boolean => optional[part]?.(settings) ?? true;

/** The name of a stack, or of something else that a deployment has once. */
export const stackName = ({ stage }: Pick<Settings, 'stage'>, part: string): string =>
  `domain-monitor-${stage}-${part}`;
