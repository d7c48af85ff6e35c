/** Where DynamoDB Local differs from DynamoDB, and the embedded endpoint follows DynamoDB. */
import type { Deviations } from './dynamodb/contract-test.ts';

const WORDING = 'Local words the message differently';
const UNITS = 'Local counts capacity units differently';

export const localDeviations: Deviations = {
  'an item without its key is rejected': [/One of the required keys was not given a value/, WORDING],
  'a key of the wrong type is rejected': [/Type mismatch for key"/, WORDING],
  'an incomplete key in a read is rejected': [/number of conditions on the keys is invalid/, WORDING],
  'extra attributes in the key of a read is rejected': [
    /number of conditions on the keys is invalid/,
    WORDING,
  ],
  'SET score = :v is rejected': [/the request was accepted/, 'Local checks index keys in puts only'],
  'UPDATED_OLD returns {"n":5,"chart":{"b":2}}': [/\+ {5}"a": 1/, 'Local returns the whole map'],
  'UPDATED_NEW returns {"n":6,"chart":{"b":3},"hits":1}': [/\+ {5}"a": 1/, 'Local returns the whole map'],
  'an update creates a missing item, unless it only removes attributes': [
    /Received: \{.*"sk": "removed"\}/,
    'in Local, an update always creates an item',
  ],
  'sk = :a with {":a":"x"} and {} is rejected': [/"Query condition missed key schema element"/, WORDING],
  'pk = :a AND n = :b with {":a":"x",":b":1} and {} is rejected': [
    /"Query condition missed key schema element"/,
    WORDING,
  ],
  'keeper = :a with {":a":"x"} and {"IndexName":"keys","ConsistentRead":true} is rejected': [
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
  "a read with a key that does not match the table's keys cancels all actions": [
    /TypeError/,
    'Local rejects the request without reasons',
  ],
  'a read consumes one unit per 4 KB, half if eventually consistent, and a minimum if nothing is found': [
    /\+ {3}"table": 0,/,
    UNITS,
  ],
  'a batch consumes units for each item separately': [/\+ {5}"table": 1.5,/, UNITS],
  'a transaction consumes twice the units for its items, but not for index writes': [
    /\+ {5}"table": 16,/,
    UNITS,
  ],
};
