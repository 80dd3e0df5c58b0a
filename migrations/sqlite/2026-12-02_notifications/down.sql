drop table notifications;
