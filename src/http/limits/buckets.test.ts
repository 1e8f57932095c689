import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Buckets } from './buckets.ts';

const QUOTA = { name: 'user', limit: 10, window: 5 };

test('a bucket allows a burst, and refills', () => {
  const buckets = new Buckets(QUOTA, 100);
  for (let left = 9; left >= 0; left -= 1) assert.equal(buckets.take('a', 1, 1000), left);
  assert.equal(buckets.take('a', 1, 1000), -1);
  assert.equal(buckets.take('b', 1, 1000), 9);
  // Two come back each second.
  assert.equal(buckets.take('a', 1, 1499), -1);
  assert.equal(buckets.take('a', 1, 1500), 0);
  assert.equal(buckets.take('a', 1, 1_000_000), 9);
});

test('a refusal takes nothing and gives the time to wait', () => {
  const buckets = new Buckets(QUOTA, 100);
  assert.equal(buckets.take('a', 8, 0), 2);
  assert.equal(buckets.take('a', 6, 0), -1);
  assert.equal(buckets.wait('a', 6, 0), 2);
  assert.equal(buckets.take('a', 2, 0), 0);
  assert.equal(buckets.wait('a', 1, 0), 1);
});

test('a full bucket admits a request above its size', () => {
  const buckets = new Buckets(QUOTA, 100);
  assert.equal(buckets.take('a', 500, 0), 0);
  assert.equal(buckets.wait('a', 500, 0), 5);
  assert.equal(buckets.take('a', 500, 4999), -1);
  assert.equal(buckets.take('a', 500, 5000), 0);
});

test('a penalty takes the rest of the bucket', () => {
  const buckets = new Buckets(QUOTA, 100);
  assert.equal(buckets.fine('a', 8, 0), true);
  assert.equal(buckets.fine('a', 8, 0), false);
  assert.equal(buckets.take('a', 1, 0), -1);
});

test('a busy key keeps its bucket despite many other keys', () => {
  const buckets = new Buckets(QUOTA, 100);
  for (let left = 9; left >= 0; left -= 1) assert.equal(buckets.take('busy', 1, 0), left);
  for (let index = 0; index < 100_000; index += 1) {
    buckets.take(`key ${index}`, 1, 0);
    if (index % 50 === 0) assert.equal(buckets.take('busy', 1, 0), -1);
  }
});

test('headers give the quota, the rest and the time until it is full', () => {
  const buckets = new Buckets(QUOTA, 100);
  const headers = Object.fromEntries(buckets.headers(buckets.take('a', 3, 0)));
  assert.equal(headers['ratelimit-policy'], '"user";q=10;w=5');
  assert.equal(headers.ratelimit, '"user";r=7;t=2');
});
