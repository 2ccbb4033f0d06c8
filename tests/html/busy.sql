-- Twenty kernels of 2 ms that are launched at once, and one wait for all of them: the device is busy for 97 % of the
-- run, so the run ends no earlier if the program does not wait there. Three short waits in another function come
-- before.
INSERT OR REPLACE INTO meta VALUES ('status','complete'),('duration_ns',41222000),('command','./busy'),('pid',7),
 ('simulated',0),('cupti.status','active'),('cupti.version',130001),('cupti.kernels',1),('driver_version',13000);
INSERT INTO entry_point VALUES (1,'cuLaunchKernel',4),(2,'cuStreamSynchronize',5);
INSERT INTO thread VALUES (1,7,'busy');
INSERT INTO device VALUES (0,'NVIDIA H100 80GB HBM3','GPU-0','0000:1b:00.0','9.0',85520809984,5,16,63000000000,0);
INSERT INTO context VALUES (1,1000,0);
INSERT INTO stream VALUES (1,2000,1,NULL);
INSERT INTO python_code VALUES (1,'/opt/app/busy.py','finish',1),(2,'/opt/app/busy.py','begin',1);
INSERT INTO stack(id,native_frames,python_frames,is_cut) VALUES (1,0,1,0),(2,0,1,0);
INSERT INTO stack_frame (id,stack,depth,code,line,is_entry) VALUES (6144,1,0,1,12,1),(10240,2,0,2,5,1);
INSERT INTO launch (id,entry_point,thread,kind,function,context,stream,is_captured,result,enter_ns,correlation)
 WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n+1 FROM i WHERE n<22)
 SELECT 1+n,1,1,0,7000,1,1,0,0,CASE WHEN n<3 THEN 1170000+n*10000 ELSE 1200000+n*1000 END,100+n FROM i;
INSERT INTO sync (id,entry_point,thread,scope,object,context,stream,result,enter_ns,return_ns,stack)
 WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n+1 FROM i WHERE n<2)
 SELECT 1+n,2,1,1,2000,1,1,0,1172000+n*10000,1179000+n*10000,2 FROM i
 UNION ALL SELECT 4,2,1,1,2000,1,1,0,1230000,41220000,1;
INSERT INTO kernel_name VALUES (1,'_Z4stepPf');
INSERT INTO device_kernel (correlation,name,start_ns,end_ns,device,cupti_context,cupti_stream)
 SELECT correlation,1,CASE WHEN id<4 THEN enter_ns+4000 ELSE 1210000+(id-4)*2000000 END,
  CASE WHEN id<4 THEN enter_ns+8000 ELSE 1210000+(id-3)*2000000 END,0,1,7 FROM launch;
