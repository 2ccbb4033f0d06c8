-- To be put after busy.sql: one kernel of 20 us on a second device, in the first half of the run.
INSERT INTO device VALUES (1,'NVIDIA H100 80GB HBM3','GPU-1','0000:1c:00.0','9.0',85520809984,5,16,63000000000,0);
INSERT INTO context VALUES (2,2000,1);
INSERT INTO stream VALUES (2,3000,2,NULL);
INSERT INTO launch (id,entry_point,thread,kind,function,context,stream,is_captured,result,enter_ns,correlation)
 VALUES (101,1,1,0,7000,2,2,0,0,1225000,201);
INSERT INTO device_kernel (correlation,name,start_ns,end_ns,device,cupti_context,cupti_stream)
 VALUES (201,1,1300000,1320000,1,2,7);
