import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { MailStack } from './mail.ts';
import type { ServiceStack } from './service.ts';

/** What alarms are about. */
export interface Watched {
  readonly mail: MailStack;
  readonly service: ServiceStack;
}

export interface AlarmRow {
  /** The end of the alarm's name. */
  readonly name: string;
  /** The heading of RUNBOOK.md that says what to do; of several alarms where that is the same. */
  readonly heading: string;
  /** What users miss. */
  readonly impact: string;
  readonly metric: IMetric;
  /** From this on it is too much. */
  readonly threshold: number;
  /** Whether it is below the threshold that it is bad. */
  readonly isTooLittle?: true;
  /** In how many periods, one after another. */
  readonly periods: number;
  /** Among how many, where they need not follow one another. */
  readonly outOf?: number;
  /** What it means that nothing is measured: that all is well, unless something else is said. */
  readonly silence?: 'bad' | 'no news';
}
