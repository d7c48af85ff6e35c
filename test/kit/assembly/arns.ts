/** ARNs of resources, as policies name them. */

/** The account and region of a deployment, as far as its assembly states them. */
export interface Place {
  readonly region: string;
  readonly account: string;
}

export type Arns = ReturnType<typeof arnsIn>;

export function arnsIn({ region, account }: Place) {
  const arn = (service: string, rest: string): string => `arn:aws:${service}:${region}:${account}:${rest}`;
  return {
    arn,
    table: (name: string): string => arn('dynamodb', `table/${name}`),
    queue: (name: string): string => arn('sqs', name),
    bucket: (name: string): string => `arn:aws:s3:::${name}`,
    identity: (identity: string): string => arn('ses', `identity/${identity}`),
    function: (name: string): string => arn('lambda', `function:${name}`),
  };
}
