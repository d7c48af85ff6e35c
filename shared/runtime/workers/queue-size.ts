import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';

const sizes = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesDelayed',
  'ApproximateNumberOfMessagesNotVisible',
] as const;

/** About how many messages are in a queue: those that wait, are delayed, or were received and not deleted yet. */
export async function queueSize(client: SQSClient, QueueUrl: string): Promise<number> {
  const { Attributes = {} } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...sizes] }),
  );
  return sizes.reduce((sum, name) => sum + Number(Attributes[name] ?? 0), 0);
}
