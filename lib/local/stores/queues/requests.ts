/** The supported SQS requests by operation (AWS, "Amazon SQS API Reference"). */
import * as z from 'zod/mini';

const MAX_BATCH = 10;

const seconds = (limit: number) => z.optional(z.int().check(z.minimum(0), z.maximum(limit)));
const visibility = seconds(43_200);
const batch = <Entry extends z.core.$ZodType>(entry: Entry) =>
  z.array(entry).check(z.minLength(1), z.maxLength(MAX_BATCH));
const queueUrl = { QueueUrl: z.string() };
const message = { MessageBody: z.string().check(z.minLength(1)), DelaySeconds: seconds(900) };
const receipt = { ReceiptHandle: z.string() };
const names = z.optional(z.array(z.string()));

/** Unknown parameters are rejected, so that the endpoint never ignores one that SQS would act on. */
export const requests = {
  GetQueueAttributes: z.strictObject({ ...queueUrl, AttributeNames: names }),
  SendMessage: z.strictObject({
    ...queueUrl,
    ...message,
    MessageGroupId: z.optional(z.string().check(z.minLength(1), z.maxLength(128))),
  }),
  SendMessageBatch: z.strictObject({
    ...queueUrl,
    Entries: batch(z.strictObject({ Id: z.string(), ...message })),
  }),
  ReceiveMessage: z.strictObject({
    ...queueUrl,
    MaxNumberOfMessages: z.optional(z.int().check(z.minimum(1), z.maximum(MAX_BATCH))),
    WaitTimeSeconds: seconds(20),
    VisibilityTimeout: visibility,
    MessageSystemAttributeNames: names,
  }),
  DeleteMessage: z.strictObject({ ...queueUrl, ...receipt }),
  DeleteMessageBatch: z.strictObject({
    ...queueUrl,
    Entries: batch(z.strictObject({ Id: z.string(), ...receipt })),
  }),
  ChangeMessageVisibility: z.strictObject({
    ...queueUrl,
    ...receipt,
    VisibilityTimeout: z.nonoptional(visibility),
  }),
  ChangeMessageVisibilityBatch: z.strictObject({
    ...queueUrl,
    Entries: batch(
      z.strictObject({ Id: z.string(), ...receipt, VisibilityTimeout: z.nonoptional(visibility) }),
    ),
  }),
  StartMessageMoveTask: z.strictObject({ SourceArn: z.string(), DestinationArn: z.optional(z.string()) }),
  ListMessageMoveTasks: z.strictObject({ SourceArn: z.string() }),
};

/** The parsed requests by operation. */
export type Requests = { [Name in keyof typeof requests]: z.output<(typeof requests)[Name]> };
