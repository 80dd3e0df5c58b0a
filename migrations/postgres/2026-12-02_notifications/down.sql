alter table instance drop column vapid_key;
drop table push_receipts;
drop table push_subscriptions;
drop table deliveries;
drop table channels;
drop table notifications;
