/** Where DynamoDB Local differs from DynamoDB, and the embedded endpoint follows DynamoDB. */
import type { Deviations } from './dynamodb/contract-test.ts';

const WORDING = 'Local words the message differently';
const UNITS = 'Local counts capacity units differently';

export const localDeviations: Deviations = {
  'can have 100 reads, and return the items that exist': [/-\s+100,/, UNITS],
  'of eventually consistent reads cost half': [/-\s+1,/, UNITS],
  'an item without its key is rejected': [/One of the required keys was not given a value/, WORDING],
  'a key of the wrong type is rejected': [/Type mismatch for key"/, WORDING],
  'an incomplete key in a read is rejected': [/number of conditions on the keys is invalid/, WORDING],
  'extra attributes in the key of a read is rejected': [
    /number of conditions on the keys is invalid/,
    WORDING,
  ],
  'SET town = :v is rejected': [/the request was accepted/, 'Local checks index keys in puts only'],
  'an update creates a missing item, unless it only removes attributes': [
    /Received: \{.*"sk": "removed"\}/,
    'in Local, an update always creates an item',
  ],
  'sk = :a with {":a":"x"} and {} is rejected': [/"Query condition missed key schema element"/, WORDING],
  'pk = :a AND n = :b with {":a":"x",":b":1} and {} is rejected': [
    /"Query condition missed key schema element"/,
    WORDING,
  ],
  'keeper = :a with {":a":"x"} and {"IndexName":"keepers","ConsistentRead":true} is rejected': [
    /Consistent read cannot be true when querying a GSI/,
    WORDING,
  ],
  'pk = :a with {":a":"x"} and {"ExclusiveStartKey":{"pk":"x"}} is rejected': [
    /Exclusive Start Key must have same size/,
    WORDING,
  ],
  'pk = :a with {":a":"x"} and {"Limit":0} is rejected': [
    /Limit must be greater than or equal to 1/,
    WORDING,
  ],
  'an invalid action cancels all actions, including earlier ones': [
    /TypeError/,
    'Local rejects the request without reasons',
  ],
  'a read consumes one unit per 4 KB, half if eventually consistent, and a minimum if nothing is found': [
    /Received: 0$/,
    UNITS,
  ],
  'a transaction consumes twice the units for its items, but not for index writes': [/Received: 28$/, UNITS],
};
