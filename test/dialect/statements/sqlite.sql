-- a creation
insert into "Customer" ("name", "owner", "creation", "modified", "modified_by", "docstatus", "idx", "customer_name", "email", "disabled") values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      on conflict ("name") do nothing;

-- a creation with rows and a series
select "name", "docstatus" from "Customer" where "name" in (?);
insert into "_series" ("key", "current") values (?, ?)
        on conflict ("key") do update set "current" = "_series"."current" + excluded."current"
        returning "current", null as "idle";
insert into "Invoice" ("name", "owner", "creation", "modified", "modified_by", "docstatus", "idx", "naming_series", "customer", "status", "due", "paid_at", "total", "code", "note", "margin", "amended_from") values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      on conflict ("name") do nothing;
insert into "Invoice Item" ("name", "owner", "creation", "modified", "modified_by", "docstatus", "idx", "parent", "parenttype", "parentfield", "item", "qty", "rate", "ship_to", "remark") values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- a list
select (select case when octet_length(coalesce(group_concat("json", ','), '')) <= ? then '[' || coalesce(group_concat("json", ','), '') || ']' end from (select json_object('name', "_t"."name") as "json" from "Invoice" as "_t" order by "_t"."modified" desc, "_t"."name" desc limit ? + 0 offset ? + 0)) as "json";

-- a list of all fields
select "_t"."name" as "name", "_t"."owner" as "owner", substr("_t"."creation", 1, 19) as "creation", substr("_t"."modified", 1, 19) as "modified", "_t"."modified_by" as "modified_by", "_t"."docstatus" as "docstatus", "_t"."idx" as "idx", "_t"."naming_series" as "naming_series", "_t"."customer" as "customer", "_t"."status" as "status", "_t"."due" as "due", substr("_t"."paid_at", 1, 19) as "paid_at", "_t"."total" as "total", "_t"."code" as "code", "_t"."note" as "note", "_t"."amended_from" as "amended_from" from "Invoice" as "_t" order by "_t"."due" asc, "_t"."total" desc, "_t"."name" desc limit ? + 0 offset ? + 0;

-- a list without a limit
select "_t"."name" as "name" from "Customer" as "_t" order by "_t"."modified" desc, "_t"."name" desc limit ? + 0 offset ? + 0;
select json_object('name', "_t"."name") as "json", "_t"."name" as "_k0" from "Customer" as "_t" where ("name" in (?)) order by "_t"."name" asc limit ? + 0 offset ? + 0;

-- filters
select "_t"."name" as "name" from "Invoice" as "_t" where "_t"."status" = ? and "_t"."total" > ? and "_t"."due" between ? and ? order by "_t"."modified" desc, "_t"."name" desc limit ? + 0 offset ? + 0;

-- texts
select "_t"."name" as "name" from "Invoice" as "_t" where case when octet_length("_t"."note") <= 256 and octet_length("_t"."note") = length("_t"."note") then "_t"."note" like ? escape '\' else fold_like("_t"."note", ?) end and ("_t"."code" is null or "_t"."code" not in (?, ?)) and "_t"."paid_at" is not null order by "_t"."modified" desc, "_t"."name" desc limit ? + 0 offset ? + 0;

-- either filter
select "_t"."name" as "name" from "Invoice" as "_t" where "_t"."docstatus" = ? and ("_t"."status" = ? or "_t"."total" < ?) order by "_t"."modified" desc, "_t"."name" desc limit ? + 0 offset ? + 0;

-- a filter on child rows
select "_t"."name" as "name" from "Invoice" as "_t" where exists (select 1 from "Invoice Item" as "_c" where "_c"."parent" = "_t"."name"
    and "_c"."parenttype" = ? and "_c"."parentfield" in (?) and "_c"."qty" > ?) order by "_t"."modified" desc, "_t"."name" desc limit ? + 0 offset ? + 0;

-- fields of a linked document
select (select "_l"."email" from "Customer" as "_l"
    where "_l"."name" = "_t"."customer") as "_0" from "Invoice" as "_t" where (select "_l"."disabled" from "Customer" as "_l"
    where "_l"."name" = "_t"."customer") = ? order by "_t"."modified" desc, "_t"."name" desc limit ? + 0 offset ? + 0;

-- child rows
select "_t"."name" as "_0", "_j"."item" as "_1" from "Invoice" as "_t" left join "Invoice Item" as "_j" on "_j"."parent" = "_t"."name"
    and "_j"."parenttype" = ? and "_j"."parentfield" in (?) order by "_t"."modified" desc, "_t"."name" desc, "_j"."idx", "_j"."name" limit ? + 0 offset ? + 0;

-- an expanded link
select "_t"."name" as "name", "_t"."customer" as "customer" from "Invoice" as "_t" order by "_t"."modified" desc, "_t"."name" desc limit ? + 0 offset ? + 0;
select "name" as "_key", "name" as "name", "owner" as "owner", substr("creation", 1, 19) as "creation", substr("modified", 1, 19) as "modified", "modified_by" as "modified_by", "docstatus" as "docstatus", "idx" as "idx", "customer_name" as "customer_name", "email" as "email", "disabled" as "disabled" from "Customer" as "_t"
    where "name" in (?);

-- groups
select "_t"."status" as "_0", case when abs(sum(cast("_t"."total" as real))) < 1e-290 then 0.0 when abs(sum(cast("_t"."total" as real))) <= 1.7e308 then cast(printf('%.15g', case when max(abs(cast("_t"."total" as real))) between 1 and 1e14 then round(sum(cast("_t"."total" as real)), 15 - length(cast(max(abs(cast("_t"."total" as real))) as integer))) else sum(cast("_t"."total" as real)) end) as real) end as "_1", count("_t"."name") as "_2" from "Invoice" as "_t" group by 1 order by 2 desc, 1 desc limit ? + 0 offset ? + 0;

-- a page and its count
select count(*) as "count" from "Invoice" as "_t";
select json_object('name', "_t"."name") as "json", "_t"."due" as "_k0", "_t"."name" as "_k1" from "Invoice" as "_t" order by "_t"."due" desc, "_t"."name" desc limit ? + 0 offset ? + 0;

-- a count
select count(*) as "count" from "Invoice" as "_t" where "_t"."status" = ?;

-- a document
select "Invoice"."name", "Invoice"."owner", "Invoice"."creation", "Invoice"."modified", "Invoice"."modified_by", "Invoice"."docstatus", "Invoice"."idx", "Invoice"."naming_series", "Invoice"."customer", "Invoice"."status", "Invoice"."due", "Invoice"."paid_at", "Invoice"."total", "Invoice"."code", "Invoice"."note", "Invoice"."margin", "Invoice"."amended_from", "Invoice"."_revision", case when coalesce("Invoice"."_user_tags", "Invoice"."_assign", "Invoice"."_liked_by") is not null then json_object('_user_tags', "Invoice"."_user_tags", '_assign', "Invoice"."_assign", '_liked_by', "Invoice"."_liked_by") end as "_side", (select case when octet_length(coalesce(group_concat("json", ','), '')) <= ? then '[' || coalesce(group_concat("json", ','), '') || ']' end from (select json_array("Invoice Item"."name", "Invoice Item"."owner", "Invoice Item"."creation", "Invoice Item"."modified", "Invoice Item"."modified_by", "Invoice Item"."docstatus", "Invoice Item"."idx", "Invoice Item"."parent", "Invoice Item"."parenttype", "Invoice Item"."parentfield", "Invoice Item"."item", "Invoice Item"."qty", "Invoice Item"."rate", "Invoice Item"."ship_to", "Invoice Item"."remark") as "json" from "Invoice Item"
        where "Invoice Item"."parent" = "Invoice"."name" and "Invoice Item"."parenttype" = ?
        and "Invoice Item"."parentfield" = ? order by "Invoice Item"."idx")) as "items" from "Invoice" where "Invoice"."name" = ?;

-- a single document
select "Preferences"."name", "Preferences"."owner", "Preferences"."creation", "Preferences"."modified", "Preferences"."modified_by", "Preferences"."docstatus", "Preferences"."idx", "Preferences"."color", "Preferences"."_revision" from "Preferences" where "Preferences"."name" = ?;

-- a change
select "Invoice"."name", "Invoice"."owner", "Invoice"."creation", "Invoice"."modified", "Invoice"."modified_by", "Invoice"."docstatus", "Invoice"."idx", "Invoice"."naming_series", "Invoice"."customer", "Invoice"."status", "Invoice"."due", "Invoice"."paid_at", "Invoice"."total", "Invoice"."code", "Invoice"."note", "Invoice"."margin", "Invoice"."amended_from", "Invoice"."_revision", case when coalesce("Invoice"."_user_tags", "Invoice"."_assign", "Invoice"."_liked_by") is not null then json_object('_user_tags', "Invoice"."_user_tags", '_assign', "Invoice"."_assign", '_liked_by', "Invoice"."_liked_by") end as "_side", (select case when octet_length(coalesce(group_concat("json", ','), '')) <= ? then '[' || coalesce(group_concat("json", ','), '') || ']' end from (select json_array("Invoice Item"."name", "Invoice Item"."owner", "Invoice Item"."creation", "Invoice Item"."modified", "Invoice Item"."modified_by", "Invoice Item"."docstatus", "Invoice Item"."idx", "Invoice Item"."parent", "Invoice Item"."parenttype", "Invoice Item"."parentfield", "Invoice Item"."item", "Invoice Item"."qty", "Invoice Item"."rate", "Invoice Item"."ship_to", "Invoice Item"."remark") as "json" from "Invoice Item"
        where "Invoice Item"."parent" = "Invoice"."name" and "Invoice Item"."parenttype" = ?
        and "Invoice Item"."parentfield" = ? order by "Invoice Item"."idx")) as "items" from "Invoice" where "Invoice"."name" = ?;
update "Invoice" set "modified" = ?, "note" = ?, "_revision" = "_revision" + 1 where "name" = ?;
delete from "Invoice Item"
      where "parent" = ? and "parenttype" = ? and "parentfield" = ?;
insert into "Invoice Item" ("name", "owner", "creation", "modified", "modified_by", "docstatus", "idx", "parent", "parenttype", "parentfield", "item", "qty", "rate", "ship_to", "remark") values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- a password
insert into "Memo" ("name", "owner", "creation", "modified", "modified_by", "docstatus", "idx", "about_type", "about", "token", "author") values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      on conflict ("name") do nothing;
select "value" from "_setting" where "key" = ?;
insert into "_secret" ("doctype", "name", "fieldname", "value")
        values (?, ?, ?, ?)
        on conflict ("doctype", "name", "fieldname") do update set "value" = excluded."value";

-- a single saved
select "Preferences"."name", "Preferences"."owner", "Preferences"."creation", "Preferences"."modified", "Preferences"."modified_by", "Preferences"."docstatus", "Preferences"."idx", "Preferences"."color", "Preferences"."_revision" from "Preferences" where "Preferences"."name" = ?;
insert into "Preferences" ("name", "owner", "creation", "modified", "modified_by", "docstatus", "idx", "color") values (?, ?, ?, ?, ?, ?, ?, ?)
      on conflict ("name") do nothing;

-- a submission
select "Invoice"."name", "Invoice"."owner", "Invoice"."creation", "Invoice"."modified", "Invoice"."modified_by", "Invoice"."docstatus", "Invoice"."idx", "Invoice"."naming_series", "Invoice"."customer", "Invoice"."status", "Invoice"."due", "Invoice"."paid_at", "Invoice"."total", "Invoice"."code", "Invoice"."note", "Invoice"."margin", "Invoice"."amended_from", "Invoice"."_revision", case when coalesce("Invoice"."_user_tags", "Invoice"."_assign", "Invoice"."_liked_by") is not null then json_object('_user_tags', "Invoice"."_user_tags", '_assign', "Invoice"."_assign", '_liked_by', "Invoice"."_liked_by") end as "_side", (select case when octet_length(coalesce(group_concat("json", ','), '')) <= ? then '[' || coalesce(group_concat("json", ','), '') || ']' end from (select json_array("Invoice Item"."name", "Invoice Item"."owner", "Invoice Item"."creation", "Invoice Item"."modified", "Invoice Item"."modified_by", "Invoice Item"."docstatus", "Invoice Item"."idx", "Invoice Item"."parent", "Invoice Item"."parenttype", "Invoice Item"."parentfield", "Invoice Item"."item", "Invoice Item"."qty", "Invoice Item"."rate", "Invoice Item"."ship_to", "Invoice Item"."remark") as "json" from "Invoice Item"
        where "Invoice Item"."parent" = "Invoice"."name" and "Invoice Item"."parenttype" = ?
        and "Invoice Item"."parentfield" = ? order by "Invoice Item"."idx")) as "items" from "Invoice" where "Invoice"."name" = ?;
select "name", "docstatus" from "Customer" where "name" in (?);
update "Invoice" set "modified" = ?, "docstatus" = ?, "_revision" = "_revision" + 1 where "name" = ?;
delete from "Invoice Item"
      where "parent" = ? and "parenttype" = ? and "parentfield" = ?;
insert into "Invoice Item" ("name", "owner", "creation", "modified", "modified_by", "docstatus", "idx", "parent", "parenttype", "parentfield", "item", "qty", "rate", "ship_to", "remark") values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- a cancellation
select "Invoice"."name", "Invoice"."owner", "Invoice"."creation", "Invoice"."modified", "Invoice"."modified_by", "Invoice"."docstatus", "Invoice"."idx", "Invoice"."naming_series", "Invoice"."customer", "Invoice"."status", "Invoice"."due", "Invoice"."paid_at", "Invoice"."total", "Invoice"."code", "Invoice"."note", "Invoice"."margin", "Invoice"."amended_from", "Invoice"."_revision", case when coalesce("Invoice"."_user_tags", "Invoice"."_assign", "Invoice"."_liked_by") is not null then json_object('_user_tags', "Invoice"."_user_tags", '_assign', "Invoice"."_assign", '_liked_by', "Invoice"."_liked_by") end as "_side", (select case when octet_length(coalesce(group_concat("json", ','), '')) <= ? then '[' || coalesce(group_concat("json", ','), '') || ']' end from (select json_array("Invoice Item"."name", "Invoice Item"."owner", "Invoice Item"."creation", "Invoice Item"."modified", "Invoice Item"."modified_by", "Invoice Item"."docstatus", "Invoice Item"."idx", "Invoice Item"."parent", "Invoice Item"."parenttype", "Invoice Item"."parentfield", "Invoice Item"."item", "Invoice Item"."qty", "Invoice Item"."rate", "Invoice Item"."ship_to", "Invoice Item"."remark") as "json" from "Invoice Item"
        where "Invoice Item"."parent" = "Invoice"."name" and "Invoice Item"."parenttype" = ?
        and "Invoice Item"."parentfield" = ? order by "Invoice Item"."idx")) as "items" from "Invoice" where "Invoice"."name" = ?;
update "Invoice" set "modified" = ?, "docstatus" = ?, "_revision" = "_revision" + 1 where "name" = ?;
delete from "Invoice Item"
      where "parent" = ? and "parenttype" = ? and "parentfield" = ?;
insert into "Invoice Item" ("name", "owner", "creation", "modified", "modified_by", "docstatus", "idx", "parent", "parenttype", "parentfield", "item", "qty", "rate", "ship_to", "remark") values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
select 1 as "one" from "Payment" where "invoice" = ? and "docstatus" = ? limit 1;
select 1 as "one" from "Memo" where "about" = ? and "about_type" = ? and "docstatus" = ? limit 1;

-- a new name
select "Customer"."name", "Customer"."owner", "Customer"."creation", "Customer"."modified", "Customer"."modified_by", "Customer"."docstatus", "Customer"."idx", "Customer"."customer_name", "Customer"."email", "Customer"."disabled", "Customer"."_revision", case when coalesce("Customer"."_user_tags", "Customer"."_assign", "Customer"."_liked_by") is not null then json_object('_user_tags', "Customer"."_user_tags", '_assign', "Customer"."_assign", '_liked_by', "Customer"."_liked_by") end as "_side" from "Customer" where "Customer"."name" = ?;
select 1 as "one" from "Customer" where "name" = ?;
update "Customer" set "name" = ?, "modified" = ?,
    "modified_by" = ?, "_revision" = "_revision" + 1, "customer_name" = ? where "name" = ?;
update "Invoice" set "_revision" = "_revision" + 1 where "name" in
          (select "parent" from "Invoice Item"
            where "parenttype" = ? and "parentfield" in (?) and "ship_to" = ?);
update "Invoice Item" set "ship_to" = ? where "ship_to" = ?;
update "Invoice" set "customer" = ?, "_revision" = "_revision" + 1 where "customer" = ?;
update "Memo" set "about" = ?, "_revision" = "_revision" + 1 where "about" = ? and "about_type" = ?;
select "fieldname" from "_secret" where "doctype" = ? and "name" = ?;
delete from "_secret" where "doctype" = ? and "name" = ?;
select "Customer"."name", "Customer"."owner", "Customer"."creation", "Customer"."modified", "Customer"."modified_by", "Customer"."docstatus", "Customer"."idx", "Customer"."customer_name", "Customer"."email", "Customer"."disabled", "Customer"."_revision", case when coalesce("Customer"."_user_tags", "Customer"."_assign", "Customer"."_liked_by") is not null then json_object('_user_tags', "Customer"."_user_tags", '_assign', "Customer"."_assign", '_liked_by', "Customer"."_liked_by") end as "_side" from "Customer" where "Customer"."name" = ?;

-- a deletion
select "Invoice"."name", "Invoice"."owner", "Invoice"."creation", "Invoice"."modified", "Invoice"."modified_by", "Invoice"."docstatus", "Invoice"."idx", "Invoice"."naming_series", "Invoice"."customer", "Invoice"."status", "Invoice"."due", "Invoice"."paid_at", "Invoice"."total", "Invoice"."code", "Invoice"."note", "Invoice"."margin", "Invoice"."amended_from", "Invoice"."_revision", case when coalesce("Invoice"."_user_tags", "Invoice"."_assign", "Invoice"."_liked_by") is not null then json_object('_user_tags', "Invoice"."_user_tags", '_assign', "Invoice"."_assign", '_liked_by', "Invoice"."_liked_by") end as "_side", (select case when octet_length(coalesce(group_concat("json", ','), '')) <= ? then '[' || coalesce(group_concat("json", ','), '') || ']' end from (select json_array("Invoice Item"."name", "Invoice Item"."owner", "Invoice Item"."creation", "Invoice Item"."modified", "Invoice Item"."modified_by", "Invoice Item"."docstatus", "Invoice Item"."idx", "Invoice Item"."parent", "Invoice Item"."parenttype", "Invoice Item"."parentfield", "Invoice Item"."item", "Invoice Item"."qty", "Invoice Item"."rate", "Invoice Item"."ship_to", "Invoice Item"."remark") as "json" from "Invoice Item"
        where "Invoice Item"."parent" = "Invoice"."name" and "Invoice Item"."parenttype" = ?
        and "Invoice Item"."parentfield" = ? order by "Invoice Item"."idx")) as "items" from "Invoice" where "Invoice"."name" = ?;
select 1 as "one" from "Invoice" where "amended_from" = ? and not ("name" in (?)) limit 1;
select 1 as "one" from "Payment" where "invoice" = ? limit 1;
select 1 as "one" from "Memo" where "about" = ? and "about_type" = ? and "docstatus" <> ? limit 1;
update "_series" set "current" = "current" - 1 where "key" = ? and "current" = ?;
delete from "Invoice Item"
      where "parent" = ? and "parenttype" = ? and "parentfield" = ?;
delete from "Invoice" where "name" = ?;

-- queue: sqliteDelivery
insert into "_webhook_delivery" ("name", "webhook", "event", "reference_doctype", "reference_document", "user", "order_key", "state",
  "due_at", "error", "creation", "modified", "done_at", "seq", "manual_of", "origin", "chain_depth", "is_test") values (?, ?, ?, ?, ?, ?, ?,
    coalesce(?, case when exists (select 1 from "_webhook_delivery" p where p."webhook" = ? and p."order_key" = ?
      and p."state" not between 2 and 4) then 6 else 0 end),
    ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- queue: sqliteBody
insert into "_webhook_body" ("delivery", "method", "url", "headers", "body", "text") values (last_insert_rowid(), ?, ?, ?, ?, ?);

-- queue: sqliteText
insert into "_webhook_text" ("id", "uses", "text") values (?, ?, ?);

-- queue: countDeaths
select count(*) as "count" from "_webhook_start" where "started_at" > ? and "stopped_at" is null;

-- queue: forgetStarts
delete from "_webhook_start" where "started_at" < ?
    and "rowid" < (select max("rowid") from "_webhook_start");

-- queue: start
insert into "_webhook_start" ("node", "started_at") values (?, ?);

-- queue: stop
update "_webhook_start" set "stopped_at" = ? where "node" = ?;

-- queue: owner
select "node" from "_webhook_start" order by "rowid" desc limit 1;

-- queue: promoteStranded
update "_webhook_delivery" set "state" = case when exists (select 1 from "Webhook" w
  where w."name" = "_webhook_delivery"."webhook" and w."enabled" = 1)
  then 0 else 5 end, "due_at" = ?
    where "state" = 6
    and not exists (select 1 from "_webhook_delivery" p where p."webhook" = "_webhook_delivery"."webhook"
      and p."order_key" = "_webhook_delivery"."order_key" and p."id" < "_webhook_delivery"."id" and p."state" not between 2 and 4);

-- queue: lastId
select max("id") as "id" from "_webhook_delivery";

-- queue: waiting
with recursive "rows" ("webhook") as (
      select min(d."webhook") from "_webhook_delivery" d where d."state" = 0
      union all
      select (select min(d."webhook") from "_webhook_delivery" d where d."state" = 0
        and d."webhook" > "rows"."webhook")
      from "rows" where "rows"."webhook" is not null)
    select "rows"."webhook", (select min(d."due_at") from "_webhook_delivery" d
      where d."state" = 0 and d."webhook" = "rows"."webhook") as "due_at"
    from "rows" where "rows"."webhook" is not null;

-- queue: ready
select d."id", d."name", d."manual_of", d."webhook", d."event", d."reference_doctype",
  d."order_key", d."seq", d."chain_depth", d."is_test", d."attempt", d."suspect", d."epoch",
  b."method", b."url", b."headers", b."body" from json_each(?) cross join "Webhook" w on w."name" = json_each."value" and w."enabled" = 1
  cross join "_webhook_delivery" d on d."id" in (select x."id" from "_webhook_delivery" x where x."webhook" = w."name"
    and x."state" = 0 and x."due_at" <= ? and x."id" not in (select "value" from json_each(?))
    order by x."due_at", x."id" limit ?)
  cross join "_webhook_request" b on b."delivery" = d."id"
  order by d."due_at", d."id";

-- queue: readyFirst
select d."id", d."name", d."manual_of", d."webhook", d."event", d."reference_doctype",
  d."order_key", d."seq", d."chain_depth", d."is_test", d."attempt", d."suspect", d."epoch",
  b."method", b."url", b."headers", b."body" from json_each(?) cross join "Webhook" w on w."name" = json_each."value" and w."enabled" = 1
  cross join "_webhook_delivery" d on d."id" in (select x."id" from "_webhook_delivery" x where x."webhook" = w."name"
    and x."state" = 0 and x."attempt" = 0 and x."due_at" <= ? and x."id" not in (select "value" from json_each(?))
    order by x."due_at", x."id" limit ?)
  cross join "_webhook_request" b on b."delivery" = d."id"
  order by d."due_at", d."id";

-- queue: mark
update "_webhook_delivery" set "suspect" = ? where "id" = ?;

-- queue: calm
update "_webhook_delivery" set "due_at" = max("due_at", ? + coalesce(? ->> "suspect", 0))
    where "state" = 0 and "suspect" > 0;

-- queue: bringForward
update "_webhook_delivery" set "due_at" = max(?, "due_at" - ?)
    where "state" in (0, 6) and "due_at" > ?;

-- queue: seen
insert into "_webhook_node" ("node", "seen_at") values (?, ?)
    on conflict ("node") do update set "seen_at" = excluded."seen_at";

-- queue: forgetNodes
delete from "_webhook_node" where "node" <> ?;

-- queue: lastSeen
select s."started_at", s."stopped_at", n."seen_at",
    (select d."name" from "_webhook_delivery" d order by d."id" desc limit 1) as "newest"
    from "_webhook_start" s left join "_webhook_node" n on n."node" = s."node" order by s."rowid" desc limit 1;

-- queue: delivered
update "_webhook_delivery" set "state" = 2,
    "attempt" = "attempt" + 1, "response_status" = ?,
    "error" = null, "modified" = ?, "next_retry" = null, "done_at" = ?, "suspect" = 0
    where "id" in (select "value" from json_each(?))
      and "state" in (0, 5) returning "id";

-- queue: retry
update "_webhook_delivery" set "state" = case when exists (select 1 from "Webhook" w
  where w."name" = "_webhook_delivery"."webhook" and w."enabled" = 1)
  then 0 else 5 end, "attempt" = "attempt" + 1, "response_status" = ?,
    "error" = ?, "modified" = ?, "due_at" = ?, "next_retry" = ?, "suspect" = 0
    where "id" = ? and "state" in (0, 5);

-- queue: exhausted
update "_webhook_delivery" set "state" = 3,
    "attempt" = "attempt" + 1, "response_status" = ?,
    "error" = ?, "modified" = ?, "done_at" = ?, "next_retry" = null, "suspect" = 0
    where "id" = ? and "state" in (0, 5);

-- queue: held
update "_webhook_delivery" set "state" = 5, "error" = ?,
    "modified" = ?, "next_retry" = null, "suspect" = 0
    where "id" = ? and "state" in (0, 5);

-- queue: resume
update "_webhook_delivery" set "state" = 0, "due_at" = ?
    where ("state" = 1 or "state" > 4) and "state" = 5
    and "webhook" in (select w."name" from "Webhook" w where w."enabled" = 1);

-- queue: refunded
update "_webhook_delivery" set "due_at" = ?, "next_retry" = ?, "suspect" = 0
    where "id" = ? and "state" in (0, 5);

-- queue: attempt
insert into "_webhook_attempt" ("delivery", "n", "started_at", "duration_ms", "response_status", "error", "response", "remote_ip", "node", "dns_ms", "connect_ms", "tls_ms", "ttfb_ms", "response_headers")
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- queue: anyParked
select 1 as "parked" from "_webhook_delivery" where "state" = 6 limit 1;

-- queue: promote
update "_webhook_delivery" set "state" = case when exists (select 1 from "Webhook" w
  where w."name" = "_webhook_delivery"."webhook" and w."enabled" = 1)
  then 0 else 5 end, "due_at" = max("due_at", ?)
    where "state" = 6 and "id" =
    (select f."id" from "_webhook_delivery" f where f."webhook" = ? and f."order_key" = ? and f."state" not between 2 and 4
      order by f."id" limit 1);
