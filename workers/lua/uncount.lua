-- Subtract what a task has in the page store and in its row queues from the sums of all tasks, when it is forgotten.
for counted, sum in pairs({[k_stored] = ALL_STORED, [k_queued] = ALL_QUEUED}) do
  local fields = redis.call('HGETALL', counted)
  for i = 1, #fields, 2 do redis.call('HINCRBY', sum, fields[i], -fields[i + 1]) end
  redis.call('DEL', counted)
end
